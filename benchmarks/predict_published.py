"""Predicts published training runs and says how far off the prediction is.

    predict_published.py BIN [--cache=FOLDER] [--source=KEY ...] [--limit-seconds=N]

BIN is the folder of the built tools. For each row of published/training_runs.csv of
tier A the model is compiled with the row's strategy and simulated on its machine, one
set of constants a device (cluster/machines), nothing by row. What a row leaves out is:
microbatches of one sequence, one chunk a stage, no recomputation. Plans are kept in
the cache (~1 MB each), so a second run takes seconds; a run that was stopped goes on.
Prints a table a source in Markdown; docs/cost-model.md has one.
"""

import argparse
import collections
import csv
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "published" / "training_runs.csv"
# By a part of the `gpu` column.
MACHINES = [("V100-SXM3", "v100_dgx2h"), ("V100-SXM2-16GB", "aws_p3_16xlarge"),
            ("A100-SXM4-40GB", "a100_dgx_40gb"), ("A100-SXM4-80GB", "a100_dgx_80gb"),
            ("H100-SXM5", "h100_dgx"), ("H800", "h800_dgx"), ("H200", "h200_dgx")]
# Sources that reduce gradients beside the backward pass (torch's data parallelism).
DDP = {"megatron19", "megatron-v1-blog", "megatron-readme-2020"}
# Published as efficiencies and speedups, relative to one GPU.
SCALING = "megatron19-"
# Sources whose systems kept no score matrix.
FUSED = {"mcore-h100-weak", "megatron-golden-7b", "nemo-24.07"}


class Inexpressible(Exception):
    """Why the compiler has no plan for a row."""


def integer(row, key, absent):
    try:
        return int(float(row[key]))
    except ValueError:
        return absent


def machine_of(row):
    for part, name in MACHINES:
        if part in row["gpu"]:
            return name
    raise Inexpressible(f"no machine for {row['gpu']}")


def recompute_of(row):
    text = row["recompute"].lower()
    if "offload" in text:
        raise Inexpressible("offloads activations")
    if text.startswith("full"):
        return "full"
    if text.startswith("selective"):
        return "selective"
    return "none"


def check(row):
    if row["arch"] != "gpt":
        raise Inexpressible("rotary positions, RMS norm or another activation")
    if "fp8" in row["precision"].lower():
        raise Inexpressible("8-bit products")
    if integer(row, "cp", 1) > 1 or integer(row, "ep", 1) > 1:
        raise Inexpressible("context or expert parallelism")
    if "zero-3" in row["zero"].lower() or integer(row, "fsdp_shard", 1) > 1:
        raise Inexpressible("ZeRO-3")
    if row["status"] != "ok":
        raise Inexpressible(f"the run's status is {row['status']}")
    if "layer" in row["model"].lower():
        raise Inexpressible("one layer: calibrated on")
    if "ZB-" in row["notes"] and "schedule ZB-1p" not in row["notes"]:
        raise Inexpressible("schedule ZB-2p")


def job_of(row):
    """(spec, strategy) of a row."""
    check(row)
    fused = row["source_key"] in FUSED
    precision = "F16" if "fp16" in row["precision"].lower() else "BF16"
    sequence = integer(row, "seq_len", 0)
    tp, pp, dp = (integer(row, key, 1) for key in ("tp", "pp", "dp"))
    mbs, gbs = integer(row, "mbs", 1), integer(row, "gbs", 0)
    chunks = integer(row, "vp", 1)
    recompute = recompute_of(row)
    spec = f"""model {{
  name: "{row['id']}" layers: {row['layers']} hidden: {row['hidden']}
  heads: {row['heads']} kv_heads: {integer(row, 'kv_heads', int(row['heads']))}
  ffn: {integer(row, 'ffn', 4 * int(row['hidden']))} vocabulary: {row['vocab']}
  positions: {sequence} tied_embedding: {str(row['tied_emb'] != '0').lower()}
  attention_dropout: {0 if fused else 0.1} residual_dropout: {0 if fused else 0.1}
  embedding_dropout: {0 if fused else 0.1}
}}
training {{
  sequence_length: {sequence} global_batch: {gbs} precision: {precision}
}}
"""
    if gbs % (dp * mbs):
        raise Inexpressible(f"batch {gbs} is no multiple of dp {dp} · {mbs} sequences")
    settings = [f"tp={tp}", f"pp={pp}", f"dp={dp}",
                f"microbatches={gbs // (dp * mbs)}", f"recompute={recompute}",
                f"attention={'fused' if fused else 'unfused'}"]
    if row["seq_parallel"] == "1" and tp > 1:
        settings.append("sequence_parallel=true")
    if "distributed" in row["zero"] or row["zero"] == "ZeRO-1":
        settings.append("zero=1")
    if chunks > 1 and pp > 1:
        settings += ["schedule=interleaved", f"chunks={chunks}"]
    if "schedule ZB-1p" in row["notes"]:
        settings.append("schedule=zero-bubble")
    return spec, " ".join(settings)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        message = (done.stderr or done.stdout).strip().splitlines()
        raise Inexpressible(" ".join(message[:1])[:200] or f"{command[0]} failed")
    return done.stdout


def plan_of(tools, cache, spec, strategy):
    """The path of the plan; compiled if it is not in the cache."""
    key = hashlib.sha256((spec + strategy).encode()).hexdigest()[:24]
    plan = cache / f"{key}.plan"
    if plan.exists():
        return plan
    refused = cache / f"{key}.refused"
    if refused.exists():
        raise Inexpressible(refused.read_text())
    text, module, compiled = (cache / f"{key}.{end}"
                              for end in ("textproto", "mlir", "exec.mlir"))
    text.write_text(spec)
    try:
        run(tools / "mpc-translate", "--import-spec", text, "-o", module)
        run(tools / "mpc-opt", f"--mpc-compile={strategy}", module, "-o", compiled)
        run(tools / "mpc-translate", "--export-plan", compiled, "-o",
            plan.with_suffix(".new"))
        plan.with_suffix(".new").rename(plan)
    except Inexpressible as error:
        refused.write_text(str(error).replace(str(cache), ""))
        raise
    finally:
        for path in (text, module, compiled):
            path.unlink(missing_ok=True)
    return plan


def model_operations(row, convention):
    """Operations of a step by the convention of the row's published rate."""
    b, s, l, h, v = (integer(row, key, 0) for key in
                     ("gbs", "seq_len", "layers", "hidden", "vocab"))
    if convention.startswith("hw96"):
        return 96 * b * s * l * h * h * (1 + s / (6 * h) + v / (16 * l * h))
    if convention.startswith("model72"):
        return 72 * b * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h))
    raise Inexpressible("no measured time")


def measured_seconds(row):
    if row["iter_time_s"]:
        return float(row["iter_time_s"])
    if not row["tflops_per_gpu"]:
        raise Inexpressible("no measured time")
    return (model_operations(row, row["flops_convention"]) /
            (float(row["tflops_per_gpu"]) * 1e12 * int(row["num_gpus"])))


def assumptions_of(row):
    """What the row's system does and plans do not, where the source says that it
    does."""
    assumed = []
    if recompute_of(row) != "none":
        assumed.append("recompute-whole")
    if "TP comm overlap on" in row["notes"]:
        assumed.append("overlap-products")
    if SCALING in row["id"]:
        assumed.append("eager-attention")
    if integer(row, "dp", 1) > 1:
        if "distributed optimizer" in row["zero"]:
            assumed += ["overlap-steps", "split-optimizer"]
        elif integer(row, "pp", 1) == 1 and row["source_key"] in DDP:
            assumed.append("overlap-steps")
        else:
            assumed.append("reduce-late")
    return assumed


def simulate(tools, plan, machine, row):
    flags = ["--allow-overflow", "--format=json"]
    assumed = assumptions_of(row)
    if assumed:
        flags.append("--assume=" + ",".join(assumed))
    return json.loads(run(tools / "mpc-run", "simulate", plan,
                          f"--cluster={machine}", *flags))


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    place = [0] * len(values)
    for number, index in enumerate(order):
        place[index] = number
    return place


def rank_correlation(pairs):
    """Spearman's, of the rates of operations; ties in order."""
    n = len(pairs)
    if n < 3:
        return float("nan")
    first, second = ranks([a for a, _ in pairs]), ranks([b for _, b in pairs])
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(first, second)) / (n * (n * n - 1))


def predict(tools, cache, row):
    spec, strategy = job_of(row)
    seconds = math.nan if SCALING in row["id"] else measured_seconds(row)
    machine = machine_of(row)
    plan = plan_of(tools, cache, spec, strategy)
    result = simulate(tools, plan, machine, row)
    return {"row": row, "strategy": strategy, "machine": machine,
            "measured": seconds, "predicted": result["step_seconds"],
            "mfu": result["model_flops_utilisation"],
            "fits": result["fits"], "result": result}


def error_of(prediction):
    return prediction["predicted"] / prediction["measured"] - 1


def report(source, predictions):
    print(f"\n### {source}\n")
    print("| row | model | strategy | measured s | predicted s | error |")
    print("|---|---|---|---|---|---|")
    for p in predictions:
        print(f"| {p['row']['id'].split('-')[-1]} | {p['row']['model']} |"
              f" {p['strategy']} | {p['measured']:.4g} | {p['predicted']:.4g} |"
              f" {100 * error_of(p):+.1f} % |")
    errors = [abs(error_of(p)) for p in predictions]
    def rate(p, key):
        return model_operations(p["row"], "model72") / p[key] / int(p["row"]["num_gpus"])
    order = rank_correlation([(rate(p, "measured"), rate(p, "predicted"))
                              for p in predictions])
    print(f"\n{len(errors)} rows: mean error {100 * sum(errors) / len(errors):.1f} %,"
          f" worst {100 * max(errors):.1f} %, rank correlation of rates {order:.2f}")


def report_scaling(predictions):
    """Of Shoeybi et al. 2019: operations a second and GPU, relative to one GPU."""
    def rate(p):
        return model_operations(p["row"], "hw96") / p["predicted"] / int(
            p["row"]["num_gpus"])
    runs = {p["row"]["id"]: p for p in predictions}
    base, strong = runs[SCALING + "001"], runs.get(SCALING + "009")
    print("\n### megatron19\n\n| row | model | GPUs | published | predicted |")
    print("|---|---|---|---|---|")
    for p in predictions:
        row = p["row"]
        if row["scaling_eff_pct"]:
            published = f"{row['scaling_eff_pct']} %"
            predicted = f"{100 * rate(p) / rate(base):.1f} %"
        elif row["speedup"] and strong:
            published = f"{row['speedup']} times"
            predicted = f"{strong['predicted'] / p['predicted']:.2f} times"
        else:
            continue
        print(f"| {row['id'].split('-')[-1]} | {row['model']}, {row['heads']} heads |"
              f" {row['num_gpus']} | {published} | {predicted} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path,
                        default=pathlib.Path.home() / ".cache" / "mpc-published")
    parser.add_argument("--source", action="append")
    parser.add_argument("--limit-seconds", type=float, default=math.inf,
                        help="compile nothing more after this time")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    found, refused = collections.OrderedDict(), collections.Counter()
    for row in csv.DictReader(open(DATA, newline="")):
        if row["tier"] != "A" or options.source and row["source_key"] not in options.source:
            continue
        if time.monotonic() - begin > options.limit_seconds:
            break
        try:
            prediction = predict(options.bin.resolve(), options.cache, row)
            found.setdefault(row["source_key"], []).append(prediction)
            if options.verbose:
                print(row["id"], f"{prediction['measured']:.4g}",
                      f"{prediction['predicted']:.4g}",
                      f"{100 * error_of(prediction):+.1f} %",
                      "" if prediction["fits"] else "does not fit", file=sys.stderr)
        except Inexpressible as error:
            refused[row["source_key"], str(error)] += 1
            if options.verbose:
                print(row["id"], error, file=sys.stderr)
    for source, predictions in found.items():
        if SCALING in predictions[0]["row"]["id"]:
            report_scaling(predictions)
        else:
            report(source, predictions)
    print("\n### Rows without a prediction\n\n| source | rows | reason |\n|---|---|---|")
    for (source, reason), count in refused.items():
        print(f"| {source} | {count} | {reason} |")


if __name__ == "__main__":
    main()
