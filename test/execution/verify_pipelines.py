"""Verifies pipeline plans against the reference, with the real tools.

  verify_pipelines.py BIN [--sample=N] [--seed=S] [--log=FILE] [--list]

The space: tp x pp x dp with at most 8 ranks and 2 to 4 stages, every schedule,
GPT, and BERT with norms behind and in front of the blocks and sequences that end in
padding; recomputation, fused and unfused attention, sequence parallelism (tp > 1) and
ZeRO-1 on and off, tied and untied tables, layers that stages do not divide, vocabulary
13 and 257, SGD and AdamW, each precision, 1 to 5 microbatches; dropout on, different
numbers of valid tokens in each sample.

Without --sample a cover of the space is run in which every two values of different
settings occur together. With it, N points drawn by the seed; --log keeps a line for each
that is done, and what it has is not run again: a long run may be stopped and resumed.
"""
import argparse
import itertools
import pathlib
import random
import subprocess
import sys
import tempfile

from tools import Tools

JOB = """
model {{
  name: "pipeline_test" layers: {layers} hidden: 16 heads: 4 ffn: 24
  vocabulary: {vocabulary} tied_embedding: {tied} {model_fields}
  embedding_dropout: 0.1 attention_dropout: 0.1 residual_dropout: 0.1
}}
training {{
  sequence_length: 8 global_batch: {batch} optimizer: {optimizer}
  learning_rate: 0.01 warmup_steps: 3 decay_steps: 8 clip_norm: 1 precision: {precision}
  {training_fields}
}}
"""

BERT = ("objective: MASKED_LM norm: {} token_types: 2 embedding_norm: true "
        "head_transform: true head_bias: true")
TOKENS = "mask_token: 3 pad_token: 1 special_tokens: 0 special_tokens: 2"
# What a model adds to the job: to its model and its training.
MODELS = {
    "gpt": ("positions: 8", ""),
    "bert": ("positions: 8 " + BERT.format("POST"), TOKENS),
    "bert-pre": ("positions: 10 first_position: 2 " + BERT.format("PRE"), TOKENS),
}

SETTINGS = {
    "mesh": [(tp, pp, dp) for tp in (1, 2, 3, 4) for pp in (2, 3, 4) for dp in (1, 2, 3, 4)
             if tp * pp * dp <= 8],
    "model": list(MODELS),
    "schedule": ["gpipe", "1f1b", "interleaved", "zero-bubble"],
    "sequence_parallel": ["false", "true"],
    "zero": [0, 1],
    "tied": ["true", "false"],
    "layers": [2, 5, 7],
    "vocabulary": [13, 257],
    "optimizer": ["SGD", "ADAMW"],
    "precision": ["F32", "BF16", "F16"],
    "microbatches": [1, 2, 4, 5],
    "recompute": ["none", "selective", "full", "full:0,selective:1"],
    "attention": ["fused", "unfused"],
}


def is_legal(point):
    return point["sequence_parallel"] == "false" or point["mesh"][0] > 1


def draw_point(draw, fixed=()):
    """A legal point at random, with the values that are fixed."""
    while True:
        point = {name: draw.choice(values) for name, values in SETTINGS.items()}
        point.update(fixed)
        if is_legal(point):
            return point


def pairs_of(point):
    return {frozenset([a, b]) for a, b in itertools.combinations(point.items(), 2)}


def legal_pairs():
    """Each value with each of another setting, if any point has both."""
    some = {name: values[0] for name, values in SETTINGS.items()} | {"mesh": (2, 2, 1)}
    for (a, xs), (b, ys) in itertools.combinations(SETTINGS.items(), 2):
        for x, y in itertools.product(xs, ys):
            if is_legal(some | {a: x, b: y}):
                yield frozenset([(a, x), (b, y)])


def cover():
    """Greedy: the best of some random points until every pair has occurred."""
    wanted = set(legal_pairs())
    draw = random.Random(1)
    while wanted:
        first = min(wanted, key=lambda pair: sorted(map(str, pair)))
        best = max((draw_point(draw, first) for _ in range(200)),
                   key=lambda point: len(pairs_of(point) & wanted))
        wanted -= pairs_of(best)
        yield best


def sample(count, seed):
    """Different points, the same for a seed."""
    draw, points = random.Random(seed), {}
    while len(points) < count:
        point = draw_point(draw)
        points[describe(point)] = point
    return list(points.values())


def strategy_of(point):
    tp, pp, dp = point["mesh"]
    text = (f"tp={tp} pp={pp} dp={dp} microbatches={point['microbatches']} "
            f"zero={point['zero']} schedule={point['schedule']}")
    if point["schedule"] == "interleaved":
        text += " chunks=2"
    if point["recompute"] != "none":
        text += f" recompute={point['recompute']}"
    if point["attention"] != "fused":
        text += f" attention={point['attention']}"
    if point["sequence_parallel"] == "true":
        text += " sequence_parallel=true"
    return text


def describe(point):
    return (f"{strategy_of(point)} model={point['model']} layers={point['layers']} "
            f"tied={point['tied']} vocabulary={point['vocabulary']} "
            f"optimizer={point['optimizer']} precision={point['precision']}")


class PipelineTools(Tools):
    def __init__(self, folder, work):
        super().__init__(folder, work)
        self.models = {}

    def model_of(self, point):
        """The imported model and its reference plan, made once."""
        batch = 2 * point["mesh"][2] * point["microbatches"]
        key = (batch, *(point[name] for name in ("model", "layers", "tied", "vocabulary",
                                                 "optimizer", "precision", "microbatches")))
        if key not in self.models:
            name = "_".join(map(str, key))
            model_fields, training_fields = MODELS[point["model"]]
            model = self.model(JOB.format(batch=batch, model_fields=model_fields,
                                          training_fields=training_fields, **point), name)
            self.models[key] = model, self.plan(
                model, f"reference=true microbatches={point['microbatches']}",
                f"reference_{name}")
        return self.models[key]

    def verify(self, point, seed):
        model, reference = self.model_of(point)
        plan = self.plan(model, strategy_of(point), "plan")
        steps = 10 if point["optimizer"] == "ADAMW" else 2
        self.run("mpc-run", "verify", plan, f"--reference={reference}", f"--steps={steps}",
                 f"--seed={seed}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="only print the points")
    options = parser.parse_args()
    points = sample(options.sample, options.seed) if options.sample else list(cover())
    if options.list:
        print(*map(describe, points), f"{len(points)} points", sep="\n")
        return 0
    done = set()
    if options.log and options.log.exists():
        done = {line.split(": ")[1] for line in options.log.read_text().splitlines()
                if line.startswith("passed")}

    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = PipelineTools(options.bin, pathlib.Path(folder))
        for number, point in enumerate(points):
            text = describe(point)
            if text in done:
                continue
            try:
                tools.verify(point, seed=number)
                passed += 1
                outcome = "passed"
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                failed += 1
                outcome = "FAILED"
                print(f"FAILED {text}\n{error}", flush=True)
            if options.log:
                with options.log.open("a") as log:
                    log.write(f"{outcome}: {text}\n")
    print(f"{passed} strategies passed, {failed} failed")
    return 1 if failed or not passed + len(done) else 0


if __name__ == "__main__":
    sys.exit(main())
