"""Writes the golden numbers of a small BERT: loss and gradients by PyTorch.

    make_bert_golden.py bert > bert_golden.txt
    make_bert_golden.py roberta > roberta_golden.txt
    make_bert_golden.py roberta_prelayernorm > roberta_prelayernorm_golden.txt

Needs torch, transformers and numpy from PyPI; exits non-zero without them. The
model is the config of that name in this folder, run by Hugging Face's model with
the masked language modelling head in double precision: norms follow the blocks in
the first two and precede them in the third. The settings of the steps are those
of bert_training.textproto. Sequences end in padding; labels are at some of the
tokens, of which some are replaced by the mask. Nothing here knows of this project
but the layout of parameters, whose names are Hugging Face's.
"""

import sys

from golden_steps import (FOLDER, Numbers, fill, read_training, torch,
                          transformers, write_golden)

MODELS = {
    "bert": (transformers.BertConfig, transformers.BertForMaskedLM),
    "roberta": (transformers.RobertaConfig, transformers.RobertaForMaskedLM),
    "roberta_prelayernorm": (transformers.RobertaPreLayerNormConfig,
                             transformers.RobertaPreLayerNormForMaskedLM),
}


def in_our_layout(name, array, config):
    """Heads are dimensions: kv_heads, group, head_dim."""
    heads, hidden = config.num_attention_heads, config.hidden_size
    size = hidden // heads
    inner = () if array.ndim == 1 else (hidden,)
    if ".attention.self.query." in name:
        yield name, array.reshape(heads, 1, size, *inner)
    elif ".attention.self." in name:
        yield name, array.reshape(heads, size, *inner)
    elif name.endswith(".attention.output.dense.weight"):
        yield name, array.reshape(hidden, heads, 1, size)
    else:
        yield name, array


def make_batch(numbers, config, training):
    """Ids, labels and positions. No token but the padding has its id."""
    rows, length = int(training["global_batch"]), int(training["sequence_length"])
    mask = int(training["mask_token"])
    others = [id for id in range(config.vocab_size)
              if id not in (config.pad_token_id, mask)]
    ids = torch.tensor([others[numbers.below(len(others))]
                        for _ in range(rows * length)]).reshape(rows, length)
    labels = torch.full_like(ids, -100)
    positions = torch.arange(length).repeat(rows, 1)
    # Chosen and masked; chosen and kept; chosen and replaced.
    for row, place, instead in [(0, 1, mask), (0, 4, None), (0, 7, mask),
                                (1, 0, mask), (1, 3, 5), (1, 4, mask),
                                (2, 2, 2), (2, 6, mask)]:
        labels[row, place] = ids[row, place]
        if instead is not None:
            ids[row, place] = instead
    # The last sequence has no label and little else.
    for row, end in [(1, 5), (3, 2)]:
        ids[row, end:] = config.pad_token_id
        positions[row, end:] = -1
    return ids, labels, positions


def main(name):
    config_class, model_class = MODELS[name]
    config = config_class.from_json_file(FOLDER / f"{name}_config.json")
    config._attn_implementation = "eager"
    training = read_training("bert_training.textproto")
    model = model_class(config).double()
    model.train()
    numbers = Numbers()
    fill(model, numbers, lambda name: "norm" in name.lower().split(".")[-2])
    ids, labels, positions = make_batch(numbers, config, training)
    seen = (positions >= 0).long()
    write_golden(f"make_bert_golden.py {name}", model,
                 {"ids": ids, "positions": positions}, labels,
                 lambda: model(input_ids=ids, attention_mask=seen,
                               labels=labels).loss,
                 lambda name, array: in_our_layout(name, array, config),
                 training)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MODELS:
        sys.exit(__doc__)
    main(sys.argv[1])
