"""Trains and verifies plans as processes: the same bits as threads.

  mpi_alike.py BIN TEXT [--two-hosts]

Losses, gradient norms and the digest of the final state of all ranks are those of the
run on threads, for 2, 3, 4 and 8 processes, or, with --two-hosts, for 2 and 4 on two
hosts made of network namespaces (skipped without the rights for them).
"""
import argparse
import json
import pathlib
import re
import tempfile

from processes import Job, TwoHosts, missing_for_two_hosts, skip
from tools import Tools

JOB = """
model {
  name: "alike" layers: 4 hidden: 24 heads: 6 vocabulary: 258 positions: 16
  embedding_dropout: 0.1 attention_dropout: 0.1 residual_dropout: 0.1
}
training { sequence_length: 16 global_batch: 24 learning_rate: 1e-3 %s }
"""
CASES = [("", "tp=2 sequence_parallel=true"), ("", "pp=2 microbatches=4"),
         ("", "tp=3"), ("precision: BF16", "dp=3 zero=1"),
         ("", "tp=2 dp=2 microbatches=3"), ("precision: F16", "pp=2 tp=2 microbatches=2"),
         ("", "pp=2 dp=2 tp=2 microbatches=4 schedule=zero-bubble zero=1"),
         ("precision: BF16", "pp=4 dp=2 microbatches=4 zero=1")]


def results(log, error):
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    digest = re.search(r"digest of the state of all ranks: (\w+)", error.read_text())
    return [(line["loss"], line["grad_norm"]) for line in lines], digest and digest[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("--two-hosts", action="store_true")
    options = parser.parse_args()
    if options.two_hosts and (reason := missing_for_two_hosts()):
        skip(reason)
    work = pathlib.Path(tempfile.mkdtemp(prefix="mpc-mpi-"))
    tools, failures = Tools(options.bin, work), []

    def run(ranks, *command):
        if not options.two_hosts:
            job = Job(work, ranks, [options.bin / "mpc-run", *command])
        else:
            with TwoHosts(work) as hosts:
                job = hosts.start(work, ranks, [options.bin / "mpc-run", *command])
                job.wait(120)
        code = job.wait(120)
        if code != 0:
            job.kill()
            failures.append(f"{command}: exit {code}\n{job.error.read_text()}")
        return job

    for number, (training, strategy) in enumerate(CASES):
        model = tools.model(JOB % training, f"job{number}")
        plan = tools.plan(model, strategy, f"plan{number}")
        ranks = tools.inspect(plan)["ranks"]
        if options.two_hosts and (ranks not in (2, 4) or training):
            continue
        arguments = ["train", plan, f"--data={options.text}", "--steps=5", "--seed=3",
                     "--threads-per-rank=1"]
        logs = [work / "threads.log", work / "processes.log"]
        threads = Job(work, 1, [options.bin / "mpc-run", *arguments, f"--log={logs[0]}"])
        threads.wait(120)
        expected = results(logs[0], threads.error)
        found = results(logs[1], run(ranks, *arguments, f"--log={logs[1]}").error)
        if len(expected[0]) != 5 or not expected[1] or found != expected:
            failures.append(f"{strategy}: {found}, threads: {expected}")
        if not training:
            microbatches = re.search(r"microbatches=\d+", strategy)
            reference = tools.plan(model, "reference=true " + (
                microbatches[0] if microbatches else ""), f"reference{number}")
            run(ranks, "verify", plan, f"--reference={reference}", "--steps=1")
        print(f"{ranks} processes, {strategy} {training}: "
              f"{'as threads' if found == expected else 'different'}, digest {found[1]}")
    print(*failures, sep="\n")
    return bool(failures)


if __name__ == "__main__":
    raise SystemExit(main())
