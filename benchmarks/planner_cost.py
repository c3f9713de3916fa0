"""What planning costs, and how it grows.

  benchmarks/planner_cost.py BIN [--growth]

Narayanan et al. 2021, table 1, on A100s: the seconds of the search on one core, and the size of its
space. With --growth, seconds against layers and devices instead.
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

# Parameters in billions, layers, hidden, heads, GPUs, batch.
TABLE_1 = [
    (1.7, 24, 2304, 24, 32, 512), (3.6, 30, 3072, 32, 64, 512), (7.5, 36, 4096, 32, 128, 512),
    (18.4, 40, 6144, 48, 256, 1024), (39.1, 48, 8192, 64, 512, 1536),
    (76.1, 60, 10240, 80, 1024, 1792), (145.6, 80, 12288, 96, 1536, 2304),
    (310.1, 96, 16384, 128, 1920, 2160), (529.6, 105, 20480, 128, 2520, 2520),
    (1008.0, 128, 25600, 160, 3072, 3072)]
JOB = """
model {{ name: "gpt" layers: {layers} hidden: {hidden} heads: {heads} vocabulary: 51200
  positions: 2048 }}
training {{ sequence_length: 2048 global_batch: {batch} precision: BF16 }}
"""
FOUND = re.compile(r"chosen in ([\d.]+) s, from (\d+) representatives\s+strategy: (.*)")
SPACE = re.compile(r"the best of (\S+) candidates in (\d+) setups, (\d+) of them solved")


def plan(binaries, work, devices, **job):
    """What the planner prints, and the CPU seconds of the whole program."""
    spec, model = work / "job.textproto", work / "model.mlir"
    spec.write_text(JOB.format(**job))
    subprocess.run([binaries / "mpc-translate", "--import-spec", spec, "-o", model], check=True)
    before = os.times()
    done = subprocess.run(
        [binaries / "mpc-opt", f"--mpc-search-strategy=machine=a100_dgx_80gb devices={devices}",
         "--mlir-disable-threading", model, "-o", os.devnull], capture_output=True, text=True, check=True)
    after = os.times()
    seconds = after.children_user + after.children_system - before.children_user \
        - before.children_system
    return done.stderr, seconds


def report(name, text, seconds):
    search, representatives, strategy = FOUND.search(text).groups()
    candidates, setups, solved = SPACE.search(text).groups()
    print(f"| {name} | {search} | {seconds:.2f} | {representatives} | {setups} | {candidates} | {solved} "
          f"| {strategy[:70]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    print("| model | search s | with reasons, CPU s | representatives | setups | candidates "
          "| solved | strategy |\n|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if not options.growth:
            for size, layers, hidden, heads, devices, batch in TABLE_1:
                report(f"{size}B", *plan(options.bin, work, devices, layers=layers, hidden=hidden,
                                         heads=heads, batch=batch))
            return
        for layers in (12, 24, 48, 96, 192, 256):
            report(f"{layers} layers, 512 devices",
                   *plan(options.bin, work, 512, layers=layers, hidden=8192, heads=64, batch=1024))
        for devices in (8, 64, 512, 4096, 32768):
            report(f"24 layers, {devices} devices",
                   *plan(options.bin, work, devices, layers=24, hidden=2048, heads=16,
                         batch=max(1024, 2 * devices)))


if __name__ == "__main__":
    main()
