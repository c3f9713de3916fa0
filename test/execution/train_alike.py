"""Trains one model under many strategies: what must agree does.

  train_alike.py BIN TEXT

Schedules and recomputation change when things are computed, not what: under one mesh
and one cut of the layers, losses and gradient norms of 20 steps are the same bits, with
fused attention and with unfused. Between the two losses agree to 1e-5, as they drop the
same probabilities. And 100 steps on real text, with dropout, under ten strategies keep
their losses within 1e-4 of one rank's at every step.
"""
import json
import pathlib
import sys
import tempfile

from tools import Tools

JOB = """
model {
  name: "alike" layers: 4 hidden: 32 heads: 4 vocabulary: 256 positions: 32
  embedding_dropout: 0.1 attention_dropout: 0.1 residual_dropout: 0.1
}
training {
  sequence_length: 32 global_batch: 16 learning_rate: 3e-4 warmup_steps: 10
  decay_steps: 100
}
"""

MESH = "tp=2 pp=2 microbatches=4"
SAME_BITS = [f"{MESH} schedule=gpipe", f"{MESH} schedule=zero-bubble",
             f"{MESH} recompute=selective", f"{MESH} recompute=full:0-2 schedule=gpipe"]
UNFUSED = f"{MESH} attention=unfused"
SAME_UNFUSED_BITS = [f"{UNFUSED} recompute=selective schedule=gpipe", f"{UNFUSED} recompute=full"]
STRATEGIES = [
    "tp=2 microbatches=2", "dp=4 zero=1", "tp=2 dp=2 sequence_parallel=true",
    "pp=2 microbatches=8", "pp=4 microbatches=2 schedule=gpipe", "pp=3 microbatches=4",
    "pp=2 chunks=2 schedule=interleaved microbatches=4 recompute=full",
    "pp=2 schedule=zero-bubble microbatches=4 dp=2 zero=1",
    "tp=2 pp=2 dp=2 microbatches=4 sequence_parallel=true recompute=selective",
    "pp=2 tp=4 stages=1,3 microbatches=2",
]


class Trainer:
    def __init__(self, tools, text):
        self.tools, self.text = tools, text
        self.job = tools.model(JOB, "job")

    def train(self, strategy, steps):
        """(loss, gradient norm) of each step."""
        plan, log = self.tools.plan(self.job, strategy, "job"), self.tools.work / "log"
        self.tools.run("mpc-run", "train", plan, f"--data={self.text}", f"--steps={steps}",
                       "--seed=7", f"--log={log}")
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert len(lines) == steps, f"{strategy}: {len(lines)} steps"
        return [(line["loss"], line["grad_norm"]) for line in lines]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(sys.argv[1]), pathlib.Path(folder))
        trainer = Trainer(tools, sys.argv[2])
        of_mesh = {}
        for base, strategies in [(MESH, SAME_BITS), (UNFUSED, SAME_UNFUSED_BITS)]:
            of_mesh[base] = trainer.train(base, 20)
            for strategy in strategies:
                if trainer.train(strategy, 20) != of_mesh[base]:
                    failures.append(f"{strategy}: not the bits of {base}")
        apart = max(abs(fused[0] - unfused[0])
                    for fused, unfused in zip(of_mesh[MESH], of_mesh[UNFUSED]))
        if not 0 < apart <= 1e-5:
            failures.append(f"{UNFUSED}: its losses differ by {apart} from those of fused attention")
        expected = trainer.train("microbatches=1", 100)
        assert expected[-1][0] < expected[0][0] - 0.5, "the loss does not fall"
        largest = 0
        for strategy in STRATEGIES:
            differences = [abs(found[0] - one[0])
                           for found, one in zip(trainer.train(strategy, 100), expected)]
            largest = max(largest, *differences)
            if max(differences) > 1e-4:
                step = next(i for i, value in enumerate(differences, 1) if value > 1e-4)
                failures.append(f"{strategy}: from step {step} on not the losses of one rank, "
                                f"differs by {max(differences)}")
    print(f"the largest difference of a loss is {largest:.2e}")
    print(*failures, f"{len(failures)} failed", sep="\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
