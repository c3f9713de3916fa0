"""Runs every pass alone on every lit test: it may refuse, it must not crash.

    fuzz_passes.py MPC_OPT FOLDER

Passes are those of mpc-opt whose names begin with mpc-; files are all .mlir below
the folder. A crash is a signal, or a failure without a diagnostic.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys


# These fail by design and leave what to say to others.
SILENT = {"mpc-refuse"}


def list_passes(mpc_opt):
    text = subprocess.run([mpc_opt, "--help"], check=True, capture_output=True,
                          text=True).stdout
    return sorted(set(re.findall(r"^\s+--(mpc-[a-z-]+)", text, re.M)) - SILENT)


def complaint(mpc_opt, name, path):
    command = [mpc_opt, path, f"--{name}", "--split-input-file",
               "--allow-unregistered-dialect", "-o", os.devnull]
    run = subprocess.run(command, capture_output=True, text=True)
    how = f"{name} on {path}: exit status {run.returncode}"
    if run.returncode not in (0, 1) or "PLEASE submit a bug" in run.stderr:
        return f"{how}\n{run.stderr[-2000:]}"
    if run.returncode == 1 and "error:" not in run.stderr:
        return f"{how} without an error"
    return None


def main(mpc_opt, folder):
    passes = list_passes(mpc_opt)
    files = sorted(str(path) for path in pathlib.Path(folder).rglob("*.mlir"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(complaint, mpc_opt, name, path)
                for name in passes for path in files]
        found = [job.result() for job in jobs if job.result()]
    print(*found, f"{len(passes)} passes on {len(files)} files, "
          f"{len(found)} complaints", sep="\n")
    return bool(found) or not passes or not files


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
