"""Compares the memory of compiled plans with published formulas, exactly.

    predict_memory.py BIN [--cache=FOLDER]

The models of Korthikanti et al. 2022, table 5, with sequence parallelism and selective
recomputation, on the first stage: states of 18 bytes a parameter, and activations of
34·sbh/t bytes a layer. Plans are shared with predict_published.py. The other terms are
those of the functions below, in their order; the exit status is 1 if all of them do not
account for every byte.
"""

import argparse
import csv
import json
import pathlib
import sys

import predict_published as published

GIB = 1 << 30


def states(row):
    """The terms of a rank's states on the first stage; the first is published."""
    l, h, v, s, t, p = (published.integer(row, key, 1) for key in
                        ("layers", "hidden", "vocab", "seq_len", "tp", "pp"))
    layers = l // p
    matrices = 12 * layers * h * h // t
    embedding = v * h // t
    return {
        "18 bytes of matrices, split over tp": 18 * matrices,
        "18 bytes of the vocabulary, split over tp": 18 * embedding,
        # q, k, v and the first product of the feed-forward block: 3h + 4h.
        "18 bytes of biases that are split": 18 * layers * 7 * h // t,
        # Two biases of h and two norms of 2h.
        "18 bytes of biases and norms that are whole": 18 * layers * 6 * h,
        "18 bytes of positions, whole": 18 * s * h,
        # The last stage's norm and head are elsewhere unless there is one stage.
        "18 bytes of the last norm": 18 * 2 * h if p == 1 else 0,
    }


def activations(row, slots):
    """The terms of what microbatches in flight keep; the first is published."""
    b, s, h, t, l, p, v = (published.integer(row, key, 1) for key in
                           ("mbs", "seq_len", "hidden", "tp", "layers", "pp", "vp"))
    sbh = s * b * h
    # Microbatches in flight times layers: of interleaving more by (p - 1)/(p v).
    layers = l if v == 1 else l + l * (p - 1) // (p * v)
    return {
        "34 sbh/t a layer": layers * 34 * sbh // t,
        "masks of dropout, one byte each, which the plan computes again":
            -layers * 2 * sbh // t,
        "mean and deviation of two norms in f32": layers * 4 * 4 * s * b // t,
        # Samples take a cache line.
        "tokens, positions and samples of each": slots * (2 * 4 * s * b + 64),
    }


def memory_of(tools, plan):
    facts = json.loads(published.run(tools / "mpc-run", "inspect", plan,
                                     "--format=json"))
    return facts["roles"][0]["memory"]


def report(title, terms, held):
    """A row; the bytes that the terms do not account for."""
    rest = held - sum(terms.values())
    published_bytes, *others = terms.values()
    print(f"| {title} | {published_bytes / GIB:.4f} | "
          + ", ".join(f"{term / GIB:+.4f}" for term in others)
          + f" | {held / GIB:.4f} | {rest:+,} |")
    return rest


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path,
                        default=pathlib.Path.home() / ".cache" / "mpc-published")
    options = parser.parse_args()
    tools = options.bin.resolve()
    options.cache.mkdir(parents=True, exist_ok=True)
    print("| first stage | published GiB | other terms | plan GiB | bytes left |")
    print("|---|---|---|---|---|")
    left = 0
    for row in csv.DictReader(open(published.DATA, newline="")):
        if row["source_key"] != "korthikanti-t5" or row["seq_parallel"] != "1":
            continue
        spec, strategy = published.job_of(row)
        plan = published.plan_of(tools, options.cache, spec, strategy)
        memory = memory_of(tools, plan)
        by = memory["bytes_by_category"]
        terms = states(row)
        left |= report(f"{row['model']}, states", terms, sum(
            by.get(name, 0) for name in ("master", "moment1", "moment2", "accumulator",
                                         "gradient", "compute")))
        # With one stage what is kept lies among the working memory of its one list.
        if published.integer(row, "pp", 1) > 1:
            terms = activations(row, memory["slots"])
            left |= report(f"{row['model']}, activations", terms,
                           memory["slots"] * memory["slot_bytes"])
    return bool(left)


if __name__ == "__main__":
    sys.exit(main())
