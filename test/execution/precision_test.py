"""What narrow precision changes in training, and what it does not.

  precision_test.py BIN

Steps whose gradients overflow in f16 change nothing, on any mesh, until the loss scale
has come down; parameters in bf16 move by less than bf16 can hold, since their masters
are f32; sums over ranks are rounded once; and both learn as f32 does.
"""
import json
import math
import pathlib
import sys
import tempfile

from tools import Tools

BATCH, LENGTH, VOCABULARY = 8, 16, 13
JOB = f"""
model {{{{ layers: 2 hidden: 16 heads: 2 vocabulary: {VOCABULARY} positions: {LENGTH} }}}}
training {{{{
  sequence_length: {LENGTH} global_batch: {BATCH} warmup_steps: 0 decay_steps: 0 dropout: 0
  {{settings}}
}}}}
"""


class Trainer:
    """Every step has the same data, so only an update changes the loss."""

    def __init__(self, folder, work):
        self.tools = Tools(pathlib.Path(folder), pathlib.Path(work))
        self.data = self.tools.work / "tokens"
        self.data.write_bytes(bytes(i * i * 7 % VOCABULARY for i in range(BATCH * LENGTH + 1)))

    def losses(self, settings, strategy="", steps=12):
        return [line["loss"] for line in self.logged(settings, strategy, steps)]

    def logged(self, settings, strategy="", steps=12):
        plan = self.tools.plan(self.tools.model(JOB.format(settings=settings), "model"), strategy,
                               "plan")
        log = self.tools.run("mpc-run", "train", plan, f"--data={self.data}", f"--steps={steps}",
                             "--log=-", "--threads-per-rank=1")
        return [json.loads(line) for line in log.splitlines()]


def skipped(losses):
    """How many steps left the loss as it was."""
    return next(i for i, loss in enumerate(losses[1:]) if loss != losses[0])


def check_overflow(trainer):
    scaled = "precision: F16 optimizer: SGD learning_rate: 0.5 loss_scale: "
    first = {}
    for strategy in ("", "tp=2", "dp=2 zero=1", "pp=2 microbatches=2"):
        losses = trainer.losses(scaled + "16777216", strategy)
        first[strategy] = skipped(losses)
        assert not any(map(math.isnan, losses)), f"{strategy}: {losses}"
        assert losses[-1] < losses[0] - 0.05, f"{strategy}: no learning after skipped steps"
    assert min(first.values()) >= 1, f"nothing overflows: {first}"
    # Cotangents are as large on every mesh, so the same steps are skipped, and the scale
    # is the reference's.
    model = trainer.tools.model(JOB.format(settings=scaled + "16777216"), "scaled")
    trainer.tools.run("mpc-run", "verify", trainer.tools.plan(model, "tp=2 dp=2", "plan"),
                      f"--reference={trainer.tools.plan(model, 'reference=true', 'reference')}",
                      "--steps=12")
    assert len(set(first.values())) == 1, f"meshes differ: {first}"
    assert skipped(trainer.losses(scaled + "1024")) == 0, "the loss scale 1024 overflows"


def check_small_updates(trainer):
    """200 updates, each far below the last place of a bf16 weight."""
    settings = "optimizer: SGD learning_rate: 1e-3 min_learning_rate: 1e-3 precision: "
    wide, narrow = (trainer.losses(settings + precision, steps=200)
                    for precision in ("F32", "BF16"))
    fall = wide[0] - wide[-1]
    assert fall > 0.01, f"f32 learns nothing: {fall}"
    assert abs((narrow[0] - narrow[-1]) / fall - 1) < 0.1, f"bf16: {narrow[0]} to {narrow[-1]}"


def check_sequence_parallelism(trainer):
    """Sums over ranks are rounded once, so splitting the sequence does not move the norm."""
    settings = "precision: BF16 learning_rate: 0 min_learning_rate: 0"
    norms = [trainer.logged(settings, f"tp=2 sequence_parallel={flag}", steps=1)[0]["grad_norm"]
             for flag in ("false", "true")]
    assert abs(norms[0] / norms[1] - 1) < 2 ** -7, f"norms {norms}"


def check_curves(trainer):
    """As long as rounding has not yet led them apart."""
    settings = "learning_rate: 3e-3 precision: "
    wide = trainer.losses(settings + "F32", steps=20)
    assert wide[-1] < wide[0] - 0.4, f"f32 learns nothing: {wide[-1]}"
    for precision, allowed in (("BF16", 5e-3), ("F16", 1e-3)):
        narrow = trainer.losses(settings + precision, "tp=2 sequence_parallel=true", steps=20)
        largest = max(abs(a - b) for a, b in zip(wide, narrow))
        assert largest < allowed, f"{precision}: differs by {largest}"
        print(f"{precision}: within {largest:.4f} of f32's losses")


def main(binaries):
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(binaries, folder)
        for check in (check_overflow, check_small_updates, check_sequence_parallelism, check_curves):
            check(trainer)
            print(f"{check.__name__}: as expected")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
