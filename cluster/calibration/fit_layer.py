"""Finds the two scales of the A100's curves that fit the times of one layer.

    fit_layer.py BIN

Compiles the layer as the middle one of three stages with the tools in BIN, simulates
it over a grid of scales of the products' and of the memory's efficiency, and prints the
best. fit.py holds the result as LAYER_PRODUCTS and LAYER_MEMORY. The two trade off
against each other: of scales that are as good, those nearer to 1.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import fit

SPEC = """
model { name: "22B" layers: 3 hidden: 6144 heads: 64 vocabulary: 51200
  positions: 2048 attention_dropout: 0.1 residual_dropout: 0.1
  embedding_dropout: 0.1 }
training { sequence_length: 2048 global_batch: 12 precision: BF16 }
"""


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_rows(tools, folder):
    (folder / "layer.textproto").write_text(SPEC)
    run(tools / "mpc-translate", "--import-spec", folder / "layer.textproto", "-o",
        folder / "layer.mlir")
    for number, row in enumerate(fit.rows("layer_times.csv")):
        strategy = (f"tp=8 pp=3 stages=1,1,1 microbatches=3 attention=unfused "
                    f"recompute={row['recompute']}")
        if row["sequence_parallel"] == "1":
            strategy += " sequence_parallel=true"
        plan = folder / f"{number}.plan"
        run(tools / "mpc-opt", f"--mpc-compile={strategy}", folder / "layer.mlir", "-o",
            folder / "plan.mlir")
        run(tools / "mpc-translate", "--export-plan", folder / "plan.mlir", "-o", plan)
        yield row, plan


def scaled(products, memory):
    """The A100's file with other scales than fit.py's."""
    text = (fit.MACHINES / "a100_dgx_80gb.textproto").read_text()
    factors = {"product_efficiency": products / fit.LAYER_PRODUCTS,
               "memory_efficiency": memory / fit.LAYER_MEMORY}

    def scale(block):
        factor = factors[block[1]]
        return re.sub(r"y: ([0-9.]+)",
                      lambda y: f"y: {min(1.0, float(y[1]) * factor)}", block[0])
    return re.sub(r"  (product_efficiency|memory_efficiency) \{.*?\n  \}", scale, text,
                  flags=re.S)


def times(tools, plan, cluster):
    """Milliseconds forward and backward of the middle stage's layer."""
    result = json.loads(run(tools / "mpc-run", "simulate", plan,
                            f"--cluster-file={cluster}", "--devices=24",
                            "--assume=recompute-whole", "--format=json"))
    found = {}
    for one in result["ranks_simulated"][1]["lists"]:
        if one["phase"] == "forward" or one["variant"] == "middle":
            if one["runs"]:
                found[one["phase"]] = 1e3 * one["seconds"] / one["runs"]
    return found["forward"], found["backward"]


def main(tools):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        plans = list(compile_rows(tools, folder))
        results = []
        for products in (0.81, 0.84, 0.87, 0.9, 0.93):
            for memory in (0.6, 0.65, 0.7, 0.75, 0.8):
                (folder / "cluster.textproto").write_text(scaled(products, memory))
                error, layer = 0.0, []
                for row, plan in plans:
                    forward, backward = times(tools, plan, folder / "cluster.textproto")
                    f, b = float(row["forward_ms"]), float(row["backward_ms"])
                    error += (math.log(forward / f) ** 2 + math.log(backward / b) ** 2 +
                              2 * math.log((forward + backward) / (f + b)) ** 2)
                    layer.append(f"{forward:.1f}/{backward:.1f}")
                results.append((error, products, memory, " ".join(layer)))
        for error, products, memory, layer in sorted(results)[:5]:
            print(f"products {products} memory {memory}: error {error:.4f}, {layer}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
