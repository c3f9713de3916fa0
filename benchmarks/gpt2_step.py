"""Tokens per second of a GPT-2 124M training step: MPC beside PyTorch, in one run.

  benchmarks/gpt2_step.py BUILD [--rounds=3] [--steps=4] [--batch=4] [--sequence=256]

f32, AdamW, dropout 0. The sides take turns, round by round, so that a machine whose
speed drifts is unfair to none; medians over all steps but each run's first are
reported, with the ratios. MPC: one rank of two threads, and two ranks of one thread
with tp=2 and with dp=2, or, with --pipeline (batch 8, eight microbatches), with pp=2
beside one rank with the same microbatches, or, with --processes, tp=2 and dp=2 as two
threads beside two processes under mpirun. PyTorch (from PyPI, with transformers, in the Python that runs
this script): two threads, fused AdamW, eager and compiled. With an allocator library in
MPC_BENCH_PRELOAD (e.g. libtcmalloc) PyTorch runs under it. Without PyTorch the script
exits with an error.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFIG = ROOT / "test/frontends/configs/gpt2.json"

TORCH = """
import json, sys, time, torch, transformers
mode, config, batch, sequence, steps = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
torch.set_num_threads(2)
torch.manual_seed(1)
settings = transformers.GPT2Config.from_json_file(config)
settings.attn_pdrop = settings.embd_pdrop = settings.resid_pdrop = 0.0
model = transformers.GPT2LMHeadModel(settings).train()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
step = torch.compile(model) if mode == "compiled" else model
for _ in range(steps):
    start = time.perf_counter()
    ids = torch.randint(0, settings.vocab_size, (batch, sequence))
    loss = step(ids, labels=ids).loss
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    print(json.dumps({"tokens_per_second": batch * sequence / (time.perf_counter() - start)}), flush=True)
"""


def rates(lines, skip):
    return [json.loads(line)["tokens_per_second"] for line in lines.splitlines()
            if line.startswith("{")][skip:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="e.g. build/release")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--sequence", type=int, default=256)
    parser.add_argument("--no-torch", action="store_true",
                        help="only compare MPC with itself")
    parser.add_argument("--pipeline", action="store_true",
                        help="stages beside one rank, without PyTorch")
    parser.add_argument("--processes", action="store_true",
                        help="ranks as processes beside ranks as threads, without PyTorch")
    options = parser.parse_args()
    strategies = [("", 2), ("tp=2", 1), ("dp=2", 1)]
    if options.pipeline:
        options.batch, options.no_torch = 8, True
        strategies = [(f"{stages}microbatches=8", threads)
                      for stages, threads in (("", 2), ("pp=2 ", 1))]
    if options.processes:
        options.no_torch, strategies = True, [("tp=2", 1), ("dp=2", 1)]
    tools = options.build / "bin"
    work = pathlib.Path(tempfile.mkdtemp(prefix="mpc-bench-"))
    (work / "train.textproto").write_text(
        f"sequence_length: {options.sequence}\nglobal_batch: {options.batch}\n"
        "dropout: 0\nclip_norm: 1\n")
    (work / "text.txt").write_bytes(bytes(range(32, 127)) * 4000)
    run = lambda *command: subprocess.run(list(map(str, command)), check=True,
                                          capture_output=True, text=True).stdout
    run(tools / "mpc-translate", "--import-huggingface", CONFIG,
        f"--training={work / 'train.textproto'}", "-o", work / "model.mlir")

    sides = {}
    for number, (strategy, threads) in enumerate(strategies):
        name = f"mpc {strategy or 'one rank'}, {2 // threads} x {threads} threads"
        plan = work / f"{number}.plan"
        run(tools / "mpc-opt", f"--mpc-compile={strategy}", work / "model.mlir",
            "-o", work / "plan.mlir")
        run(tools / "mpc-translate", "--export-plan", work / "plan.mlir", "-o", plan)
        sides[name] = ([tools / "mpc-run", "train", plan,
                        f"--data={work / 'text.txt'}", f"--steps={options.steps}",
                        "--seed=1", "--log=-", f"--threads-per-rank={threads}"], None, 1)
        if options.processes:
            launcher = ["mpirun", "--allow-run-as-root", "-n", "2"]
            sides[f"mpc {strategy}, 2 processes"] = (launcher + sides[name][0], None, 1)
    if not options.no_torch:
        try:
            import torch, transformers  # noqa: F401
        except ImportError as error:
            sys.exit(f"{error}; PyTorch and transformers are needed for the "
                     "comparison (a virtual environment with both from PyPI)")
        environment = dict(os.environ, OMP_NUM_THREADS="2", OMP_PROC_BIND="true")
        if "MPC_BENCH_PRELOAD" in os.environ:
            environment["LD_PRELOAD"] = os.environ["MPC_BENCH_PRELOAD"]
        for mode in ("eager", "compiled"):
            sides[f"pytorch {torch.__version__}, {mode}, 2 threads"] = (
                [sys.executable, "-c", TORCH, mode, CONFIG, options.batch,
                 options.sequence, options.steps + (mode == "compiled")],
                environment, 2 if mode == "compiled" else 1)

    measured = {name: [] for name in sides}
    for _ in range(options.rounds):
        for name, (command, environment, skip) in sides.items():
            done = subprocess.run(list(map(str, command)), env=environment,
                                  capture_output=True, text=True)
            if done.returncode:
                print(f"{name}: {done.stderr.strip()}")
                continue
            measured[name] += rates(done.stdout, skip)

    medians = {name: statistics.median(values)
               for name, values in measured.items() if values}
    # Multiplications and additions of the products of forward and backward
    # (attention's, counted whole, included), 124M model.
    tokens = options.batch * options.sequence
    flops = 6 * (12 * 12 * 768 * 768 + 50257 * 768) + 12 * 12 * 768 * options.sequence
    print(f"batch {options.batch} x {options.sequence}, {tokens} tokens a step")
    for name, value in medians.items():
        print(f"{name:34} {value:8.1f} tokens/s  {value * flops / 1e9:6.1f} GFLOP/s "
              f"of products  (best {max(measured[name]):.1f}, {len(measured[name])} steps)")
    if options.processes:
        for strategy, _ in strategies:
            ratio = (medians[f"mpc {strategy}, 2 processes"]
                     / medians[f"mpc {strategy}, 2 x 1 threads"])
            print(f"{strategy}: processes / threads: {ratio:.3f}")
        return
    names = list(medians)
    ours = medians[names[0]]
    for name in names[1:len(strategies)]:
        print(f"{name} / one rank: {medians[name] / ours:.2f}")
    torches = [value for name, value in medians.items() if name.startswith("pytorch")]
    if torches:
        print(f"mpc / faster pytorch: {ours / max(torches):.2f}")


if __name__ == "__main__":
    main()
