"""Runs of mpc-run as processes, on this host or on two made of network namespaces."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import uuid

MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
# How long a lost link may go unnoticed by mpirun itself.
KEEPALIVE = ["--mca", "oob_tcp_keepalive_time", "2", "--mca", "oob_tcp_keepalive_intvl", "1",
             "--mca", "oob_tcp_keepalive_probes", "2"]


class Job:
    """A run that has been started; `work` gets its output."""

    def __init__(self, work, ranks, command, prefix=(), options=()):
        self.token = uuid.uuid4().hex
        self.error = work / "stderr"
        self.out = work / "stdout"
        environment = dict(os.environ, MPC_TEST_JOB=self.token, OMPI_MCA_orte_tmpdir_base=str(work))
        self.process = subprocess.Popen(
            [*prefix, *MPIRUN, *options, "-x", "MPC_TEST_JOB", "-n", str(ranks),
             *map(str, command)],
            env=environment, stdin=subprocess.DEVNULL, stdout=self.out.open("w"),
            stderr=self.error.open("w"))

    def members(self):
        """Process ids of the run that are alive: by rank, and of the launchers (None)."""
        found = {None: []}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if folder.joinpath("stat").read_text().rsplit(") ", 1)[1][0] in "ZX":
                    continue
                variables = folder.joinpath("environ").read_bytes().split(b"\0")
                if f"MPC_TEST_JOB={self.token}".encode() not in variables:
                    continue
                ranks = [int(v.split(b"=")[1]) for v in variables
                         if v.startswith(b"OMPI_COMM_WORLD_RANK=")]
                if ranks:
                    found[ranks[0]] = int(folder.name)
                else:
                    found[None].append(int(folder.name))
        return found

    def ranks(self):
        return {rank: pid for rank, pid in self.members().items() if rank is not None}

    def wait(self, seconds):
        """The exit code; None if it runs on."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(seconds)

    def kill(self):
        for pid in [*self.ranks().values(), *self.members()[None]]:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()


def await_true(condition, seconds):
    """Whether it became true in time, and after how long."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        if condition():
            return True, time.monotonic() - start
        time.sleep(0.02)
    return bool(condition()), time.monotonic() - start


def ip(*arguments):
    return subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


class TwoHosts:
    """Network namespaces joined by a pair of virtual devices, as hosts without ssh."""

    SUBNET = "10.213.77.0/24"

    def __init__(self, work):
        self.name = f"mpc{os.getpid()}"
        self.agent = work / "agent"

    def __enter__(self):
        for number, host in enumerate("ab"):
            ip("netns", "add", self.name + host)
        ip("link", "add", f"{self.name}a", "netns", f"{self.name}a", "type", "veth",
           "peer", "name", f"{self.name}b", "netns", f"{self.name}b")
        for number, host in enumerate("ab", 1):
            there = ["-n", self.name + host]
            ip(*there, "addr", "add", f"10.213.77.{number}/24", "dev", self.name + host)
            ip(*there, "link", "set", self.name + host, "up")
            ip(*there, "link", "set", "lo", "up")
            # mpirun and its daemon notice a lost link as TCP does, by default after 15 minutes.
            subprocess.run(["ip", "netns", "exec", self.name + host, "sh", "-c",
                            "echo 3 > /proc/sys/net/ipv4/tcp_retries2"], check=True)
        # mpirun calls it as `agent HOST COMMAND`.
        self.agent.write_text("#!/bin/sh\nshift\nexec ip netns exec "
                              f"{self.name}b unshare -u sh -c \"hostname host-b; $*\"\n")
        self.agent.chmod(0o755)
        return self

    def __exit__(self, *_):
        for host in "ab":
            subprocess.run(["ip", "netns", "del", self.name + host], check=False)

    def cut(self):
        ip("-n", f"{self.name}b", "link", "set", f"{self.name}b", "down")

    def start(self, work, ranks, command):
        """Half of the ranks on each host."""
        half = ranks // 2
        options = ["--host", f"10.213.77.1:{half},10.213.77.2:{ranks - half}",
                   "--mca", "plm_rsh_agent", str(self.agent), *KEEPALIVE]
        for layer in ("btl_tcp_if_include", "oob_tcp_if_include"):
            options += ["--mca", layer, self.SUBNET]
        # Shared memory is of one host; the namespaces are on one in truth.
        options += ["--mca", "btl", "self,tcp"]
        host = ["ip", "netns", "exec", f"{self.name}a", "unshare", "-u", "sh", "-c",
                "hostname host-a; exec \"$@\"", "sh"]
        return Job(work, ranks, command, host, options)


def missing_for_two_hosts():
    """Why two hosts cannot be made here; None if they can."""
    if shutil.which("ip") is None:
        return "there is no ip (iproute2)"
    name = f"mpcprobe{os.getpid()}"
    try:
        ip("netns", "add", name)
        ip("-n", name, "link", "add", "mpcprobe0", "type", "veth", "peer", "name", "mpcprobe1")
    except subprocess.CalledProcessError as error:
        return f"network namespaces need rights: {error.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)
    return None


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)
