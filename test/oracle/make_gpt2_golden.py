"""Writes the golden numbers of a small GPT-2: loss and gradients by PyTorch.

    make_gpt2_golden.py > gpt2_golden.txt

Needs torch, transformers and numpy from PyPI; exits non-zero without them. The
model is gpt2_config.json of this folder, run by Hugging Face's GPT2LMHeadModel in
double precision; the settings of the steps are those of gpt2_training.textproto.
Nothing here knows of this project but the layout and the names of parameters.

The file is a list of words. A line that begins with # is a comment; every other
entry is one of

    ids ROWS COLUMNS value...           token ids
    labels ROWS COLUMNS value...        -1: no label
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
    sys.exit(f"make_gpt2_golden.py: {missing}; install it from PyPI")

FOLDER = pathlib.Path(__file__).parent
STEPS = 5


def read_training():
    """The settings of gpt2_training.textproto, all of which are scalars."""
    lines = (FOLDER / "gpt2_training.textproto").read_text().split("\n")
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


def fill(model, numbers):
    """Gives every parameter multiples of 1/256, norms' weights around 1."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            center = 1.0 if ".ln_" in name and name.endswith("weight") else 0.0
            reach = 101 if parameter.dim() > 1 else 33
            flat = [center + (numbers.below(reach) - reach // 2) / 256
                    for _ in range(parameter.numel())]
            parameter.copy_(torch.tensor(flat).reshape(parameter.shape))


def in_our_layout(name, array, config):
    """Splits and transposes one of GPT-2's arrays, as (name, array) pairs.

    GPT-2 keeps weights of products as [in, out]. Here they are [out..., in...],
    with query heads as dimensions kv_heads, group, head_dim.
    """
    heads, hidden = config.n_head, config.n_embd
    size = hidden // heads
    stem, kind = name.rsplit(".", 1)
    if stem.endswith("attn.c_attn"):
        q, k, v = numpy.split(array, 3, axis=-1)
        inner = () if kind == "bias" else (hidden,)
        yield f"{stem}.q.{kind}", q.T.reshape(heads, 1, size, *inner)
        yield f"{stem}.k.{kind}", k.T.reshape(heads, size, *inner)
        yield f"{stem}.v.{kind}", v.T.reshape(heads, size, *inner)
    elif stem.endswith("attn.c_proj") and kind == "weight":
        yield name, array.T.reshape(hidden, heads, 1, size)
    elif stem.endswith(("mlp.c_fc", "mlp.c_proj")) and kind == "weight":
        yield name, array.T
    else:
        yield name, array


def write_numbers(label, array, form):
    sizes = " ".join(map(str, array.shape))
    print(label, sizes)
    # What is 0 but for rounding is 0: of keys' biases, softmax is independent.
    flat = numpy.where(abs(array) < 1e-12, 0, array).reshape(-1)
    for begin in range(0, flat.size, 16):
        print(*(form % value for value in flat[begin:begin + 16]))


def write_parameters(label, arrays, config, form):
    for name, array in arrays:
        for ours, part in in_our_layout(name, array, config):
            write_numbers(f"{label} {ours} {part.ndim}", part, form)


def mean_loss(model, ids, labels):
    logits = model(input_ids=ids).logits
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]), labels.reshape(-1),
        ignore_index=-100)


def check_own_loss(model, ids, labels):
    """transformers' own loss shifts labels by one: with ours put back it agrees."""
    shifted = torch.full_like(labels, -100)
    shifted[:, 1:] = labels[:, :-1]
    without_last = labels.clone()
    without_last[:, -1] = -100
    theirs = model(input_ids=ids, labels=shifted).loss.item()  # in single
    ours = mean_loss(model, ids, without_last).item()
    if abs(theirs - ours) > 1e-5 * ours:
        sys.exit(f"transformers' loss is {theirs}, ours {ours}")


def main():
    config = transformers.GPT2Config.from_json_file(FOLDER / "gpt2_config.json")
    config._attn_implementation = "eager"
    training = read_training()
    model = transformers.GPT2LMHeadModel(config).double()
    model.train()
    numbers = Numbers()
    fill(model, numbers)

    shape = int(training["global_batch"]), int(training["sequence_length"])
    ids = torch.tensor([numbers.below(config.vocab_size)
                        for _ in range(shape[0] * shape[1])]).reshape(shape)
    labels = torch.tensor([numbers.below(config.vocab_size)
                           for _ in range(shape[0] * shape[1])]).reshape(shape)
    # A different number of valid tokens in every sequence, none in the last.
    labels[0, 2] = labels[1, 5:] = labels[2, ::3] = labels[3] = -100
    check_own_loss(model, ids, labels)

    print("# Made by make_gpt2_golden.py; see there for the format.")
    print(f"# torch {torch.__version__}, transformers "
          f"{transformers.__version__}, double precision.")
    write_numbers("ids", ids.numpy(), "%d")
    write_numbers("labels", labels.clamp(min=-1).numpy(), "%d")
    print("valid_tokens", int((labels >= 0).sum()))
    named = list(model.named_parameters())
    write_parameters("parameter", [(name, p.detach().numpy().copy())
                                   for name, p in named], config, "%.9g")

    decayed = [p for _, p in named if p.dim() > 1]
    other = [p for _, p in named if p.dim() == 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": training["weight_decay"]},
         {"params": other, "weight_decay": 0.0}],
        lr=training["learning_rate"], eps=training["epsilon"],
        betas=(training["beta1"], training["beta2"]))
    for step in range(1, STEPS + 1):
        optimizer.zero_grad()
        loss = mean_loss(model, ids, labels)
        loss.backward()
        if step == 1:
            print("loss %.12g" % loss.item())
            write_parameters("gradient", [(name, p.grad.numpy().copy())
                                          for name, p in named], config, "%.8g")
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(),
                                              training["clip_norm"])
        print("step %d %.9g %.9g" % (step, loss.item(), norm.item()))
        optimizer.step()


if __name__ == "__main__":
    main()
