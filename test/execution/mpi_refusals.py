"""What processes refuse to run: one message of all, and an exit code.

  mpi_refusals.py BIN TEXT
"""
import pathlib
import sys
import tempfile

from processes import Job
from tools import Tools

JOB = """
model { name: "refused" layers: 2 hidden: 16 heads: 2 vocabulary: 256 positions: 8 }
training { sequence_length: 8 global_batch: 4 learning_rate: 1e-3 }
"""


def main():
    tools_folder, text = (pathlib.Path(name).resolve() for name in sys.argv[1:])
    work = pathlib.Path(tempfile.mkdtemp(prefix="mpc-refusals-"))
    tools = Tools(tools_folder, work)
    model = tools.model(JOB, "job")
    plan = tools.plan(model, "tp=2", "plan0")
    tools.plan(model, "dp=2", "plan1")
    other_text = work / "text1"
    other_text.write_bytes(text.read_bytes()[1:])
    (work / "text0").write_bytes(text.read_bytes())
    run = f"{tools_folder / 'mpc-run'} train"
    good = f"{plan} --data={text} --steps=2"
    rank = "$OMPI_COMM_WORLD_RANK"
    cases = [
        (2, f"{run} {good}", 0, None),
        (3, f"{run} {good}", 1, "the plan has 2 ranks, mpirun has started 3 processes; "
                                "expected mpirun -n 2"),
        (2, f"{run} {work}/plan{rank}.plan --data={text} --steps=2", 1,
         "rank 1: was started with the plan of checksum "),
        (2, f"{run} {plan} --data={work}/text{rank} --steps=2", 1,
         "rank 1: was started with the plan of checksum "),
        (2, f"{run} {good} --seed={rank}", 1, "rank 1: was started with the plan of checksum "),
        (2, f"test {rank} = 0 || cd /; {run} {good} --labels=/no$((1-{rank}))labels", 1,
         "rank 0: "),
        (2, f"{run} {good} --communicator=local", 1, "a launcher has started 2 processes"),
        (2, f"{run} {good} --communicator=nccl", 1,
         "communicator nccl is unknown; legal: local, mpi"),
        (2, f"{run} {good} --stall-timeout=0", 2, "stall-timeout"),
        (2, f"{run} {good} --log=/no/folder/log", 1, "log /no/folder/log: "),
        (2, f"{run} {good} --rank-log=/no/folder/logs", 1, "rank log /no/folder/logs: "),
    ]
    failures = 0
    for ranks, command, code, message in cases:
        job = Job(work, ranks, ["sh", "-c", f"OPENBLAS_NUM_THREADS=1 {command}"])
        found = job.wait(60)
        job.kill()
        lines = [line for line in job.error.read_text().splitlines()
                 if line.startswith("mpc-run train: error: ")]
        good_message = (message is None and not lines) or (
            message is not None and len(lines) == 1 and message in lines[0])
        # mpirun's code is that of the first process to end.
        if found != code or not good_message:
            failures += 1
            print(f"{command}: exit {found}, expected {code} and {message}\n"
                  f"{job.error.read_text()}")
    print(f"{len(cases)} cases, {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
