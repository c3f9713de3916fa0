"""What compiling large models costs, beside the limits that the project sets itself.

  benchmarks/compile_cost.py BUILD [--only=TEXT]

For each model: CPU time and largest resident size of mpc-opt and of mpc-translate, and
the size of the plan. Nothing is cached between runs. Exits with an error if a limit is
passed. Limits are of wall time on two cores; CPU time is what is measured, since a busy
machine does not change it, and bounds the wall time from above.
"""
import argparse
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

XL_TRAINING = "sequence_length: 1024 global_batch: 8\n"
# The shape of GPT-3.
JOB_175B = """
model { name: "gpt3" layers: 96 hidden: 12288 heads: 96 vocabulary: 50257 positions: 2048 }
training { sequence_length: 2048 global_batch: 64 }
"""


def measure(command):
    """CPU seconds and largest resident bytes of a command, which must succeed."""
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{command}: status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def compile_model(binaries, work, importing, strategy):
    model, compiled, plan = (str(work / name) for name in ("a.mlir", "b.mlir", "a.plan"))
    opt, translate = str(binaries / "mpc-opt"), str(binaries / "mpc-translate")
    costs = [measure([translate, *importing, "-o", model]),
             measure([opt, f"--mpc-compile={strategy}", model, "-o", compiled]),
             measure([translate, "--export-plan", compiled, "-o", plan])]
    seconds, resident = zip(*costs)
    return sum(seconds), max(resident), os.path.getsize(plan)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    passed = True
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        training, job = work / "xl.textproto", work / "175b.textproto"
        training.write_text(XL_TRAINING)
        job.write_text(JOB_175B)
        xl = ["--import-huggingface", str(ROOT / "test/frontends/configs/gpt2_xl.json"),
              f"--training={training}"]
        print(f"{'model':<22}{'CPU':>9}{'limit':>7}{'resident':>11}{'limit':>9}{'plan':>11}")
        for name, importing, strategy, seconds, resident in [
                ("gpt2_xl tp=2 dp=8", xl, "tp=2 dp=8", 5, 1e9),
                ("175B tp=8 dp=64", ["--import-spec", str(job)], "tp=8 dp=64", 15, 2e9)]:
            if options.only not in name:
                continue
            found = compile_model(options.build / "bin", work, importing, strategy)
            print(f"{name:<22}{found[0]:7.2f} s{seconds:5} s{found[1] / 1e6:8.0f} MB"
                  f"{resident / 1e6:6.0f} MB{found[2] / 1e3:8.0f} kB")
            passed = passed and found[0] < seconds and found[1] < resident
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
