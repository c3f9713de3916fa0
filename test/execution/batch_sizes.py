"""The loss of a batch is the mean of its samples' losses, for all sizes from 1 to 17.

  batch_sizes.py BIN

Elsewhere a kernel failed from some batch size on. Every sample is run by itself with a
learning rate of 0; then a plan of each batch size runs the first samples together.
"""
import json
import pathlib
import sys
import tempfile

from tools import Tools

JOB = """
model {{ layers: 1 hidden: 8 heads: 2 vocabulary: 17 positions: 6 initializer_range: 0.5 }}
training {{
  sequence_length: 6 global_batch: {batch} learning_rate: 0 min_learning_rate: 0
  warmup_steps: 0 dropout: 0
}}
"""
LARGEST = 17


def losses(tools, data, batch, steps):
    model = tools.model(JOB.format(batch=batch), f"batch{batch}")
    log = tools.run("mpc-run", "train", tools.plan(model, "", f"batch{batch}"),
                    f"--data={data}", f"--steps={steps}", "--log=-",
                    "--threads-per-rank=1")
    return [json.loads(line)["loss"] for line in log.splitlines()]


def main(binaries):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(binaries), pathlib.Path(folder))
        data = tools.work / "tokens"
        data.write_bytes(bytes(i * i * 7 % 17 for i in range(6 * LARGEST + 1)))
        single = losses(tools, data, 1, LARGEST)
        if len(set(single)) != LARGEST:
            print(f"samples with equal losses prove little: {single}")
            return 1
        for batch in range(2, LARGEST + 1):
            found, = losses(tools, data, batch, 1)
            expected = sum(single[:batch]) / batch
            if not abs(found - expected) <= 2e-6 * expected:
                print(f"batch {batch}: loss {found}, expected {expected}")
                wrong += 1
    print(f"{LARGEST} batch sizes, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
