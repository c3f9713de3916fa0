"""Verifies plans of many strategies against the reference, with the real tools.

  verify_meshes.py BIN [--optimizer=SGD|ADAMW] [--vocabulary=N] [--ranks=8] [--only=TEXT]

Every tp × dp with at most --ranks ranks, with and without sequence parallelism (tp > 1)
and ZeRO-1, two microbatches, dropout on, different numbers of valid tokens in each
sample. Sizes that tp does not divide (heads at 3, 5, 6, 7) stay whole. The seed of each
strategy is its number, so runs differ. Prints a line for each failure and the count.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

JOB = """
model {{
  name: "mesh_test" layers: 2 hidden: 16 heads: 8 ffn: 24
  vocabulary: {vocabulary} positions: 8
  embedding_dropout: 0.1 attention_dropout: 0.1 residual_dropout: 0.1
}}
training {{
  sequence_length: 8 global_batch: {batch} optimizer: {optimizer}
  learning_rate: 0.01 warmup_steps: 3 decay_steps: 8 clip_norm: 1
}}
"""


def strategies(ranks):
    for tp in range(1, ranks + 1):
        for dp in range(1, ranks // tp + 1):
            for sequence_parallel in ([False, True] if tp > 1 else [False]):
                for zero in (0, 1):
                    text = f"tp={tp} dp={dp} microbatches=2 zero={zero}"
                    if sequence_parallel:
                        text += " sequence_parallel=true"
                    yield dp, text


class Tools:
    def __init__(self, folder, work):
        self.folder, self.work = folder, work

    def run(self, tool, *arguments):
        done = subprocess.run([str(self.folder / tool), *map(str, arguments)],
                              capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise RuntimeError(f"{tool} {' '.join(map(str, arguments))}: exit "
                               f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def plan(self, model, strategy, name):
        module, plan = self.work / f"{name}.mlir", self.work / f"{name}.plan"
        self.run("mpc-opt", f"--mpc-compile={strategy}", model, "-o", module)
        self.run("mpc-translate", "--export-plan", module, "-o", plan)
        return plan


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--optimizer", default="ADAMW")
    parser.add_argument("--vocabulary", type=int, default=13)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    steps = 10 if options.optimizer == "ADAMW" else 2

    passed, failures, models = 0, [], {}
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        tools = Tools(options.bin, work)
        for number, (dp, strategy) in enumerate(strategies(options.ranks)):
            if options.only not in strategy:
                continue
            batch = 4 * dp
            if batch not in models:
                spec = work / f"{batch}.textproto"
                spec.write_text(JOB.format(batch=batch, optimizer=options.optimizer,
                                           vocabulary=options.vocabulary))
                model = work / f"{batch}.mlir"
                tools.run("mpc-translate", "--import-spec", spec, "-o", model)
                models[batch] = model, tools.plan(
                    model, "reference=true microbatches=2", f"reference{batch}")
            model, reference = models[batch]
            try:
                plan = tools.plan(model, strategy, "plan")
                tools.run("mpc-run", "verify", plan, f"--reference={reference}",
                          f"--steps={steps}", f"--seed={number}",
                          "--threads-per-rank=1")
                passed += 1
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failures.append(strategy)
                print(f"FAILED {strategy}\n{error}", flush=True)
    print(f"{options.optimizer}, vocabulary {options.vocabulary}: {passed} strategies "
          f"verified over {steps} steps, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
