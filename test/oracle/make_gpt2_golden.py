"""Writes the golden numbers of a small GPT-2: loss and gradients by PyTorch.

    make_gpt2_golden.py > gpt2_golden.txt

Needs torch, transformers and numpy from PyPI; exits non-zero without them. The
model is gpt2_config.json of this folder, run by Hugging Face's GPT2LMHeadModel in
double precision; the settings of the steps are those of gpt2_training.textproto.
Nothing here knows of this project but the layout and the names of parameters.
"""

import sys

from golden_steps import (FOLDER, Numbers, fill, numpy, read_training, torch,
                          transformers, write_golden)


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
    training = read_training("gpt2_training.textproto")
    model = transformers.GPT2LMHeadModel(config).double()
    model.train()
    numbers = Numbers()
    fill(model, numbers, lambda name: ".ln_" in name)

    shape = int(training["global_batch"]), int(training["sequence_length"])
    ids = torch.tensor([numbers.below(config.vocab_size)
                        for _ in range(shape[0] * shape[1])]).reshape(shape)
    labels = torch.tensor([numbers.below(config.vocab_size)
                           for _ in range(shape[0] * shape[1])]).reshape(shape)
    # A different number of valid tokens in every sequence, none in the last.
    labels[0, 2] = labels[1, 5:] = labels[2, ::3] = labels[3] = -100
    check_own_loss(model, ids, labels)
    write_golden("make_gpt2_golden.py", model, {"ids": ids}, labels,
                 lambda: mean_loss(model, ids, labels),
                 lambda name, array: in_our_layout(name, array, config),
                 training)


if __name__ == "__main__":
    main()
