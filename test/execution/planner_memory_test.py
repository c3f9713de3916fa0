"""No plan needs more memory than the planner has said of its strategy.

  planner_memory_test.py BIN [--count=N] [--seed=S]

Draws models, meshes and options, lets the planner choose the rest, compiles, and compares
what it predicts of the largest stage with what the compiler has assigned.
"""
import argparse
import pathlib
import random
import re
import sys
import tempfile

from tools import Tools

JOB = """
model {{ name: "t" layers: {layers} hidden: {hidden} heads: 4 vocabulary: {vocabulary}
  positions: {sequence} }}
training {{ sequence_length: {sequence} global_batch: {batch} precision: {precision} }}
"""
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# What is printed has two digits behind the point.
ROUNDING = 1.005


def draw_job(draw):
    return JOB.format(layers=draw.choice([1, 2, 3, 4, 7]), hidden=draw.choice([64, 128, 192]),
                      vocabulary=draw.choice([128, 1024]), sequence=draw.choice([32, 64, 128]),
                      batch=draw.choice([4, 8, 12, 16]), precision=draw.choice(["F32", "BF16"]))


def draw_options(draw):
    tp, pp, dp = draw.choice([1, 1, 2, 4]), draw.choice([1, 1, 2, 4]), draw.choice([1, 2])
    options = [f"tp={tp} pp={pp} dp={dp} devices={tp * pp * dp}"]
    for choices in (["", "recompute=none", "recompute=selective", "recompute=full"],
                    ["", "microbatches=1", "microbatches=2"], ["", "zero=0", "zero=1"],
                    ["", "attention=unfused"]):
        options.append(draw.choice(choices))
    return " ".join(option for option in options if option)


def predicted_bytes(compiled):
    found = re.search(r"planner: memory of (?:a rank|stage \d+, the largest): ([\d.]+) (\w+) ",
                      compiled)
    return float(found[1]) * UNITS[found[2]]


def assigned_bytes(compiled):
    roles = re.findall(r"exec\.role stage \d+ mesh .* persistent (\d+) slot (\d+) x (\d+) "
                       r"transient (\d+)", compiled)
    return max(int(persistent) + int(slot) * int(slots) + int(transient)
               for persistent, slot, slots, transient in roles)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    shares, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.bin, pathlib.Path(folder))
        for _ in range(options.count):
            job, pins = draw_job(draw), draw_options(draw)
            model = tools.model(job, "model")
            compiled = pathlib.Path(folder) / "compiled.mlir"
            tools.run("mpc-opt", f"--mpc-compile=auto=true cluster=cpu_2_cores {pins}",
                      model, "-o", compiled)
            text = compiled.read_text()
            share = assigned_bytes(text) / predicted_bytes(text)
            shares.append(share)
            if share > ROUNDING:
                failed += 1
                print(f"FAILED {pins}: {share:.3f} of what was predicted{job}")
    print(f"{len(shares)} plans need {min(shares):.2f} to {max(shares):.2f} of what was predicted")
    return 1 if failed or not shares else 0


if __name__ == "__main__":
    sys.exit(main())
