"""What the scripts share that write golden numbers: a file of words.

A line that begins with # is a comment; every other entry is one of

    ids ROWS COLUMNS value...           token ids
    labels ROWS COLUMNS value...        -1: no label
    positions ROWS COLUMNS value...     -1: padding; absent: 0, 1, ... in each row
    valid_tokens value
    parameter NAME RANK size... value...     before the first step, exact in f32
    loss value                               mean over the valid tokens
    gradient NAME RANK size... value...      of that mean, before clipping
    step NUMBER LOSS GRAD_NORM               of steps on this batch, from 1
"""

import pathlib
import sys

try:
    import numpy
    import torch
    import transformers
except ImportError as missing:
    sys.exit(f"golden_steps.py: {missing}; install it from PyPI")

FOLDER = pathlib.Path(__file__).parent
STEPS = 5


def read_training(file):
    """The settings of a .textproto file, all of which are scalars."""
    lines = (FOLDER / file).read_text().split("\n")
    pairs = [line.split(": ") for line in lines if line]
    return {key: float(value) if key != "optimizer" else value
            for key, value in pairs}


class Numbers:
    """A small generator of integers: the same values on every machine."""

    def __init__(self):
        self.state = 12345

    def below(self, bound):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 8) % bound


def fill(model, numbers, is_norm):
    """Gives every parameter multiples of 1/256, norms' weights around 1."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            center = 1.0 if is_norm(name) and name.endswith("weight") else 0.0
            reach = 101 if parameter.dim() > 1 else 33
            flat = [center + (numbers.below(reach) - reach // 2) / 256
                    for _ in range(parameter.numel())]
            parameter.copy_(torch.tensor(flat).reshape(parameter.shape))


def write_numbers(label, array, form):
    sizes = " ".join(map(str, array.shape))
    print(label, sizes)
    # What is 0 but for rounding is 0: of keys' biases, softmax is independent.
    flat = numpy.where(abs(array) < 1e-12, 0, array).reshape(-1)
    for begin in range(0, flat.size, 16):
        print(*(form % value for value in flat[begin:begin + 16]))


def write_parameters(label, arrays, layout, form):
    for name, array in arrays:
        for ours, part in layout(name, array):
            write_numbers(f"{label} {ours} {part.ndim}", part, form)


def write_golden(script, model, batch, labels, mean_loss, layout, training):
    """Trains on one batch. `batch` is what is written of it beside the labels,
    `layout` splits and transposes an array, as (name, array) pairs."""
    print(f"# Made by {script}; see golden_steps.py for the format.")
    print(f"# torch {torch.__version__}, transformers "
          f"{transformers.__version__}, double precision.")
    for name, values in batch.items():
        write_numbers(name, values.numpy(), "%d")
    write_numbers("labels", labels.clamp(min=-1).numpy(), "%d")
    print("valid_tokens", int((labels >= 0).sum()))
    named = list(model.named_parameters())
    write_parameters("parameter", [(name, p.detach().numpy().copy())
                                   for name, p in named], layout, "%.9g")

    decayed = [p for _, p in named if p.dim() > 1]
    other = [p for _, p in named if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": training["weight_decay"]},
         {"params": other, "weight_decay": 0.0}],
        lr=training["learning_rate"], eps=training["epsilon"],
        betas=(training["beta1"], training["beta2"]))
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        loss = mean_loss()
        loss.backward()
        if step == 1:
            print("loss %.12g" % loss.item())
            write_parameters("gradient", [(name, p.grad.numpy().copy())
                                          for name, p in named], layout, "%.8g")
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(),
                                              training["clip_norm"])
        print("step %d %.9g %.9g" % (step, loss.item(), norm.item()))
        optimizer.step()
