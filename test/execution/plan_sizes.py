"""Sizes of plans that are too large to run here, against closed forms.

  plan_sizes.py BIN

Elsewhere an estimate left out logits and attention scores, and counts of bytes and of
elements overflowed 32 bits. Nothing is executed.
"""
import pathlib
import re
import sys
import tempfile

from tools import Tools


class Checks:
    def __init__(self):
        self.count = self.failed = 0

    def __call__(self, what, holds):
        self.count += 1
        if not holds:
            self.failed += 1
            print(f"WRONG: {what}")


def buffers(module):
    """The shapes of all f32 tensors in working memory."""
    found = re.findall(r"<transient \+ \d+, ([\dx]+)xf32>", module.read_text())
    return {tuple(map(int, shape.split("x"))) for shape in found}


def job(layers, hidden, heads, batch, length, vocabulary_multiple=1):
    return (f"model {{ layers: {layers} hidden: {hidden} heads: {heads} "
            f"vocabulary: 50257 positions: {length} }}\n"
            f"training {{ sequence_length: {length} global_batch: {batch} dropout: 0 "
            f"vocabulary_multiple: {vocabulary_multiple} }}\n")


def check_gpt2_large(tools, check):
    """4 × 1024 tokens: logits alone are 786 MiB; scores are never stored."""
    logits = 4 * 1024 * 50304
    assert logits * 4 == 824180736
    model = tools.model(job(36, 1280, 20, batch=4, length=1024,
                            vocabulary_multiple=64), "large")
    for name, strategy in [("fused", ""), ("naive", "reference=true")]:
        memory = tools.inspect(tools.plan(model, strategy, name))["roles"][0]["memory"]
        check(f"{name}: working memory of {memory['transient_bytes']} bytes holds the "
              "logits", memory["transient_bytes"] >= 4 * logits)
        shapes = buffers(tools.work / f"{name}.mlir")
        check(f"{name}: logits are in {shapes}", (4, 1024, 50304) in shapes)
        check(f"{name}: no scores of {shapes}",
              not any(shape.count(1024) > 1 for shape in shapes))
        # Each layer keeps its input, normed input, q, k, v and more for backward.
        check(f"{name}: {memory['transient_bytes']} bytes hold 36 layers",
              memory["transient_bytes"] >= 36 * 8 * 4 * 1024 * 1280 * 4)


def check_wide_logits(tools, check):
    """More than 2^31 elements in one tensor."""
    plan = tools.plan(tools.model(job(1, 64, 4, batch=64, length=1024), "logits"),
                      "", "logits")
    arena = tools.inspect(plan)["roles"][0]["memory"]["arena_bytes"]
    check(f"logits of 64 × 1024 × 50257 in {arena} bytes", arena > 13174571008)


def check_billions(tools, check):
    """36 layers of 4096: 7.46e9 parameters, of which tp=8 leaves a rank its part."""
    layers, hidden, vocabulary, length = 36, 4096, 50257, 1024
    model = tools.model(job(layers, hidden, 32, batch=1, length=length), "billions")
    for tp in (1, 8):
        padded = -(-vocabulary // tp) * tp
        split = padded * hidden + layers * (12 * hidden**2 + 7 * hidden)
        whole = length * hidden + layers * 6 * hidden + 2 * hidden
        told = tools.inspect(tools.plan(model, f"tp={tp}", f"billions{tp}"))
        count = vocabulary * hidden + length * hidden + 2 * hidden + layers * (
            12 * hidden**2 + 13 * hidden)
        check(f"{told['parameter_count']} parameters, expected {count}",
              told["parameter_count"] == count)
        found = sum(parameter["bytes_per_rank"]
                    for parameter in told["roles"][0]["parameters"])
        # Master, two moments and the gradient.
        expected = 16 * (split // tp + whole)
        check(f"tp={tp}: {found} bytes a rank, expected {expected}", found == expected)
        arena = told["roles"][0]["memory"]["arena_bytes"]
        check(f"tp={tp}: arena of {arena} bytes", arena > expected)


def check_ranks(tools, check):
    """A plan holds the program of a rank, however many replicas run it."""
    model = tools.model(job(12, 768, 12, batch=64, length=256), "gpt2")
    few, many = (tools.plan(model, f"dp={dp}", f"dp{dp}").stat().st_size
                 for dp in (2, 64))
    check(f"plan of {many} bytes for 64 replicas, {few} for two", many < 1.05 * few)


def main(binaries):
    check = Checks()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(binaries), pathlib.Path(folder))
        check_gpt2_large(tools, check)
        check_wide_logits(tools, check)
        check_billions(tools, check)
        check_ranks(tools, check)
    print(f"{check.count} sizes, {check.failed} wrong")
    return 1 if check.failed or not check.count else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
