"""Kills, stops or cuts off a rank at a random moment: the others end and name it.

  mpi_faults.py BIN TEXT [--kinds=kill,stall,cut] [--moments=N] [--seed=N]

Four ranks (tp=2, pp=2) train as processes. At a moment drawn for the start-up, or for
the steps (in a collective, in a channel or between steps, as chance has it), a rank is
killed, or stopped, or the link between two hosts made of network namespaces is cut. Then
every other rank ends by itself within the stated time, each with a message that names a
rank that was lost; no process is left, and the log holds whole lines. A kind for which
this machine lacks the rights is skipped by name.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import tempfile
import time

from processes import Job, TwoHosts, await_true, missing_for_two_hosts
from tools import Tools

JOB = """
model { name: "faults" layers: 4 hidden: 64 heads: 4 vocabulary: 256 positions: 32 }
training { sequence_length: 32 global_batch: 8 learning_rate: 1e-3 }
"""
RANKS = 4
TIMEOUT = 2
# Seconds for the others to end: a death is noticed at once, silence after the timeout.
# Half a second more is given to a rank that computes, the rest is for a loaded machine.
LIMIT = {"kill": 4, "stall": TIMEOUT + 4, "cut": TIMEOUT + 4}


class Trial:
    """One run and its fault; `problems` says what was not as it has to be."""

    def __init__(self, options, plan, kind, phase, random_source):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="mpc-fault-"))
        self.kind, self.phase, self.random = kind, phase, random_source
        self.log, self.rank_logs = self.work / "run.jsonl", self.work / "ranks"
        self.command = [options.bin / "mpc-run", "train", plan, f"--data={options.text}",
                        "--steps=1000000", f"--log={self.log}", "--threads-per-rank=1",
                        f"--rank-log={self.rank_logs}", f"--stall-timeout={TIMEOUT}"]
        self.problems = []

    def await_moment(self, job):
        if self.phase == "start-up":
            await_true(lambda: job.ranks() or job.process.poll() is not None, 20)
            time.sleep(self.random.uniform(0, 0.5))
            return
        started, _ = await_true(
            lambda: self.log.exists() and self.log.read_text().count("\n") > 0, 60)
        if not started:
            self.problems.append("no step in time")
        time.sleep(self.random.uniform(0, 1))

    def strike(self, job, hosts):
        """The ranks that are lost, and those that have to end."""
        pids = job.ranks()
        if self.kind == "cut":
            hosts.cut()
            return set(range(RANKS)), pids
        victim = self.random.choice(sorted(pids))
        os.kill(pids[victim], signal.SIGKILL if self.kind == "kill" else signal.SIGSTOP)
        return {victim}, {rank: pid for rank, pid in pids.items() if rank != victim}

    def check_message(self, rank, lost, error):
        """Each rank names another one that was lost, in its own words."""
        log = self.rank_logs / f"rank-{rank}.log"
        last = log.read_text().splitlines()[-1:] if log.exists() else []
        named = re.search(r"(?:ended|error): rank (\d+):", last[0]) if last else None
        others = {other for other in lost if other != rank}
        if named and int(named[1]) in others:
            return
        # A rank that had not come to its first line has only the launcher to speak for it.
        if self.phase == "start-up" and not last and re.search(r"rank \d", error):
            return
        self.problems.append(f"rank {rank} ends with {last}")

    def run(self):
        with contextlib.ExitStack() as stack:
            hosts = stack.enter_context(TwoHosts(self.work)) if self.kind == "cut" else None
            job = (hosts.start(self.work, RANKS, self.command) if hosts
                   else Job(self.work, RANKS, self.command))
            self.await_moment(job)
            lost, survivors = self.strike(job, hosts)
            struck = time.monotonic()
            ended, seconds = await_true(lambda: not set(job.ranks()) & set(survivors),
                                        LIMIT[self.kind] + 10)
            if not ended:
                self.problems.append(f"still running: {sorted(job.ranks())}")
            elif seconds > LIMIT[self.kind]:
                self.problems.append(f"took {seconds:.1f} s")
            code = job.wait(20)
            gone, _ = await_true(lambda: job.members() == {None: []}, 20)
            if not gone:
                self.problems.append(f"orphans: {job.members()}")
            if code in (0, None):
                self.problems.append(f"exit code of mpirun: {code}")
            launcher = time.monotonic() - struck
            job.kill()
        error = job.error.read_text()
        for rank in survivors:
            self.check_message(rank, lost, error)
        if self.log.exists():
            text = self.log.read_text()
            with contextlib.suppress(ValueError):
                [json.loads(line) for line in text.splitlines()]
                if text == "" or text.endswith("\n"):
                    text = None
            if text is not None:
                self.problems.append(f"the log ends in {text[-80:]!r}")
        said = [line for line in error.splitlines() if line.startswith("mpc-run")]
        print(f"{self.kind} {self.phase}, lost {sorted(lost)}: ended after {seconds:.1f} s, "
              f"mpirun after {launcher:.1f} s; {said[:1]}", *self.problems, flush=True)
        if self.problems:
            print(error[-2000:])
        else:
            shutil.rmtree(self.work)
        return not self.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--kinds", default="kill,stall,cut")
    parser.add_argument("--moments", type=int, default=1, help="of each kind and phase")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tools = Tools(options.bin, pathlib.Path(tempfile.mkdtemp(prefix="mpc-faults-")))
    plan = tools.plan(tools.model(JOB, "job"), "tp=2 pp=2 microbatches=4", "plan")
    failures, trials, source = 0, 0, random.Random(options.seed)
    for kind in options.kinds.split(","):
        if kind == "cut" and (reason := missing_for_two_hosts()):
            print(f"skipped: cut: {reason}")
            if options.kinds == kind:
                raise SystemExit(77)
            continue
        for phase in ("start-up", "steps"):
            for _ in range(options.moments):
                trials += 1
                failures += not Trial(options, plan, kind, phase, source).run()
    print(f"{trials} trials, {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
