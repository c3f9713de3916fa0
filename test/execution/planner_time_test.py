"""What the planner predicts of a step is what the simulator finds of its plan.

  planner_time_test.py BIN

The planner adds up formulas over parts of a model; the simulator walks the commands of the whole
plan. Both ask the same price list, so what they differ in is the formulas.
"""
import argparse
import json
import pathlib
import re
import sys
import tempfile

from tools import Tools

JOB = """
model { name: "gpt" layers: 12 hidden: 2048 heads: 16 vocabulary: 51200 positions: 2048 }
training { sequence_length: 2048 global_batch: 64 precision: BF16 }
"""
CASES = [
    "devices=1 microbatches=32", "devices=8", "devices=8 tp=8", "devices=8 tp=4 sequence_parallel=false",
    "devices=8 pp=4 schedule=1f1b microbatches=16", "devices=8 pp=4 schedule=interleaved dp=1",
    "devices=8 pp=4 schedule=zero-bubble dp=1", "devices=8 pp=2 recompute=full",
    "devices=16 dp=16 zero=0", "devices=16 dp=16 zero=1 microbatches=4", "devices=32 tp=4 pp=4",
    "devices=8 attention=unfused tp=2"]
# The formulas leave out messages that interleaving does not hide, and what contention takes.
ALLOWED = 0.1
UNITS = {"s": 1, "ms": 1e-3, "us": 1e-6}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    options = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.bin, pathlib.Path(folder))
        model = tools.model(JOB, "model")
        for case in CASES:
            plan = tools.plan(model, f"auto=true cluster=a100_dgx_80gb {case}", "plan")
            remarks = " ".join(remark["text"] for remark in tools.inspect(plan)["remarks"])
            value, unit = re.search(r"predicted for .*?: ([\d.]+) (\w+) a step", remarks).groups()
            devices = re.search(r"devices=(\d+)", case)[1]
            simulated = json.loads(tools.run(
                "mpc-run", "simulate", plan, "--cluster=a100_dgx_80gb", f"--devices={devices}",
                "--format=json"))["step_seconds"]
            share = float(value) * UNITS[unit] / simulated
            verdict = "ok" if abs(share - 1) <= ALLOWED else "FAILED"
            failed += verdict != "ok"
            strategy = re.search(r"strategy: (.*?) planner", remarks)[1]
            print(f"{verdict} {case}: {share:.3f} of what is simulated, {strategy}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
