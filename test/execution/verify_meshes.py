"""Verifies plans of many strategies against the reference, with the real tools.

  verify_meshes.py BIN [--model=gpt|bert|bert-pre] [--optimizer=SGD|ADAMW]
                   [--vocabulary=N] [--ranks=8] [--only=TEXT] [--special]

Every tp × dp with at most --ranks ranks, with and without sequence parallelism (tp > 1)
and ZeRO-1, dropout on, different numbers of valid tokens in each sample; one, two or
four microbatches in turn, against a reference of two; attention is unfused in two of
five. Where tp is odd, or 6, sizes are
multiples of it, so that all it can split is split; each third of these has sizes that
it does not divide, which stay whole. --special adds runs of 50 steps in which errors
may grow, 25 heads, and 12 ranks. The seed of each strategy is its number, so runs
differ. Prints a line for each failure and the count.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

from tools import Tools

JOB = """
model {{
  name: "mesh_test" layers: 2 hidden: {hidden} heads: {heads} ffn: {ffn}
  vocabulary: {vocabulary} positions: {sequence} {model_fields}
  embedding_dropout: 0.1 attention_dropout: 0.1 residual_dropout: 0.1
}}
training {{
  sequence_length: {sequence} global_batch: {batch} optimizer: {optimizer}
  learning_rate: 0.01 warmup_steps: 3 decay_steps: 8 clip_norm: 1
  {training_fields}
}}
"""
BERT = ("objective: MASKED_LM norm: {} token_types: 2 embedding_norm: true "
        "head_transform: true head_bias: true")
# By name: what the model adds to the job.
MODELS = {"gpt": "", "bert": BERT.format("POST"), "bert-pre": BERT.format("PRE")}
TOKENS = "mask_token: 3 pad_token: 1 special_tokens: 0 special_tokens: 2"


class Sizes(NamedTuple):
    heads: int
    hidden: int
    ffn: int
    sequence: int


EVEN = Sizes(heads=8, hidden=16, ffn=24, sequence=8)
# GPT-2 XL's heads, at a width of 4 each.
HEADS_25 = Sizes(heads=25, hidden=100, ffn=40, sequence=8)


def multiples(tp):
    return Sizes(heads=tp, hidden=4 * tp, ffn=4 * tp, sequence=2 * tp)


class Case(NamedTuple):
    strategy: str
    dp: int
    sizes: Sizes
    free_run: bool = False


def meshes(ranks):
    number = 0
    for tp in range(1, ranks + 1):
        for dp in range(1, ranks // tp + 1):
            for sequence_parallel in ([False, True] if tp > 1 else [False]):
                for zero in (0, 1):
                    microbatches = [1, 2, 4][number % 3]
                    text = f"tp={tp} dp={dp} microbatches={microbatches} zero={zero}"
                    if sequence_parallel:
                        text += " sequence_parallel=true"
                    if number % 5 < 2:
                        text += " attention=unfused"
                    divides = 8 % tp == 0 or number % 3 == 2
                    yield Case(text, dp, EVEN if divides else multiples(tp))
                    number += 1


def special():
    for text, dp, sizes in [
            ("tp=2 dp=2 microbatches=2 zero=1", 2, EVEN),
            ("tp=4 dp=1 microbatches=1 sequence_parallel=true", 1, EVEN),
            ("tp=1 dp=4 microbatches=4 zero=1", 4, EVEN),
            ("tp=3 dp=1 microbatches=2 sequence_parallel=true zero=0", 1, multiples(3))]:
        yield Case(text, dp, sizes, free_run=True)
    yield Case("tp=4 dp=1 microbatches=2 sequence_parallel=true", 1, HEADS_25)
    yield Case("tp=5 dp=1 microbatches=2", 1, HEADS_25)
    yield Case("tp=4 dp=1 microbatches=2 sequence_parallel=true attention=unfused", 1, HEADS_25)
    yield Case("tp=2 dp=2 microbatches=2 zero=1 attention=unfused recompute=selective", 2, EVEN)
    yield Case("tp=1 dp=1 microbatches=1 attention=unfused recompute=full", 1, EVEN)
    yield Case("tp=4 dp=3 microbatches=2 sequence_parallel=true zero=1", 3, EVEN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--model", choices=MODELS, default="gpt")
    parser.add_argument("--optimizer", default="ADAMW")
    parser.add_argument("--vocabulary", type=int, default=13)
    parser.add_argument("--ranks", type=int, default=8)
    parser.add_argument("--only", default="")
    parser.add_argument("--special", action="store_true")
    options = parser.parse_args()
    steps = 10 if options.optimizer == "ADAMW" else 2
    cases = list(meshes(options.ranks)) + (list(special()) if options.special else [])

    passed, failures, models = 0, [], {}
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.bin, pathlib.Path(folder))

        def model_of(case):
            """The model, and its reference plan."""
            key = case.sizes, case.dp
            if key not in models:
                name = f"model{len(models)}"
                model = tools.model(JOB.format(
                    batch=4 * case.dp, optimizer=options.optimizer,
                    vocabulary=options.vocabulary, model_fields=MODELS[options.model],
                    training_fields="" if options.model == "gpt" else TOKENS,
                    **case.sizes._asdict()), name)
                models[key] = model, tools.plan(
                    model, "reference=true microbatches=2", f"{name}.reference")
            return models[key]

        for number, case in enumerate(cases):
            if options.only not in case.strategy:
                continue
            model, reference = model_of(case)
            how = ["--free-run", "--steps=50"] if case.free_run else [f"--steps={steps}"]
            try:
                plan = tools.plan(model, case.strategy, "plan")
                tools.run("mpc-run", "verify", plan, f"--reference={reference}",
                          *how, f"--seed={number}", "--threads-per-rank=1")
                passed += 1
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failures.append(case)
                print(f"FAILED {case}\n{error}", flush=True)
    print(f"{options.model}, {options.optimizer}, vocabulary {options.vocabulary}: {passed} strategies "
          f"verified over {steps} steps, {len(failures)} failed")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
