"""The ops of a training step in numpy, double precision.

Written from the descriptions in the dialect alone, so that it can be wrong only in
another way than the compiler is. OPS maps an op's name to a function of its
attributes, with `result_shapes` among them, and its operands.
"""

import math

import numpy as np


LETTERS = "ABCDEFGHIJKLMNOP"


def letters(count, begin):
    return LETTERS[begin:begin + count]


def linear(a, x, w):
    inner = x.ndim - 2
    o, c = letters(w.ndim - inner, 0), letters(inner, 8)
    return np.einsum(f"yz{c},{o}{c}->yz{o}", x, w, optimize=True)


def linear_input_grad(a, g, w):
    outer = g.ndim - 2
    o, c = letters(outer, 0), letters(w.ndim - outer, 8)
    return np.einsum(f"yz{o},{o}{c}->yz{c}", g, w, optimize=True)


def linear_weight_grad(a, g, x):
    o, c = letters(g.ndim - 2, 0), letters(x.ndim - 2, 8)
    return np.einsum(f"yz{o},yz{c}->{o}{c}", g, x, optimize=True)


def one_hot(numbers, rows):
    return (numbers[..., None] == rows).astype(float)


def layer_norm(a, x, weight, bias):
    mean = x.mean(-1)
    rstd = 1 / np.sqrt(x.var(-1) + a["epsilon"])
    return (x - mean[..., None]) * rstd[..., None] * weight + bias, mean, rstd


def layer_norm_input_grad(a, g, x, weight, mean, rstd):
    n = (x - mean[..., None]) * rstd[..., None]
    d = g * weight
    return rstd[..., None] * (d - d.mean(-1, keepdims=True) -
                              n * (d * n).mean(-1, keepdims=True))


def layer_norm_param_grad(a, g, x, mean, rstd):
    n = (x - mean[..., None]) * rstd[..., None]
    return (g * n).sum((0, 1)), g.sum((0, 1))


def sum_leading(a, g):
    return g.sum(tuple(range(g.ndim - len(a["result_shapes"][0]))))


ERF = np.vectorize(math.erf)


def gelu(a, x):
    if a["form"] == "erf":
        return x / 2 * (1 + ERF(x / math.sqrt(2)))
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) *
                                (x + 0.044715 * x**3)))


def gelu_grad(a, g, x):
    if a["form"] == "erf":
        density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return g * ((1 + ERF(x / math.sqrt(2))) / 2 + x * density)
    root = math.sqrt(2 / math.pi)
    t = np.tanh(root * (x + 0.044715 * x**3))
    slope = root * (1 + 3 * 0.044715 * x**2)
    return g * ((1 + t) / 2 + x / 2 * (1 - t * t) * slope)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu_grad(a, g, x):
    return g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))


def mix(x):
    with np.errstate(over="ignore"):
        x = x ^ (x >> np.uint32(16))
        x = x * np.uint32(0x7feb352d)
        x = x ^ (x >> np.uint32(15))
        x = x * np.uint32(0x846ca68b)
        return x ^ (x >> np.uint32(16))


def u32(numbers):
    return np.asarray(numbers).astype(np.int64).astype(np.uint32)


def keep_mask(a, seed, *places):
    """Broadcasts `places`; the factor that an element is multiplied by."""
    rate = np.float32(a["rate"])
    if rate == 0:
        return 1.0
    r = mix(u32(seed) ^ u32(a["key"]))
    with np.errstate(over="ignore"):
        for place in places:
            r = mix(r + u32(place))
    kept = (r >> np.uint32(8)) >= np.uint32(round(float(rate) * 2**24))
    return np.where(kept, float(np.float32(1) / (np.float32(1) - rate)), 0.0)


def dropout(a, x, seed, samples, positions, features):
    return x * keep_mask(a, seed, samples[:, None, None],
                         positions[:, :, None], features[None, None, :])


def probabilities(a, q, k, query_positions, key_positions, seed, samples, heads):
    """Of [b, s, k, g, t]; and the factor by which dropout multiplies them."""
    scores = a["scale"] * np.einsum("bskgd,btkd->bskgt", q, k, optimize=True)
    keys = key_positions[:, None, :]
    masked = keys < 0
    if a["causal"]:
        masked = masked | (keys > query_positions[:, :, None])
    scores = np.where(masked[:, :, None, None, :], -np.inf, scores)
    top = scores.max(-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = exponentials.sum(-1, keepdims=True)
    p = exponentials / np.where(total == 0, 1, total)
    with np.errstate(divide="ignore"):
        logsumexp = (np.log(total) + top)[..., 0]
    factor = keep_mask(a, seed, samples[:, None, None, None, None],
                       heads[None, None, :, :, None],
                       query_positions[:, :, None, None, None],
                       key_positions[:, None, None, None, :])
    return p, factor, logsumexp


def attention(a, q, k, v, *places):
    p, factor, logsumexp = probabilities(a, q, k, *places)
    return np.einsum("bskgt,btkd->bskgd", p * factor, v,
                     optimize=True), logsumexp


def masked_softmax(a, scores, query_positions, key_positions):
    scores = a["scale"] * scores
    if a["causal"]:
        masked = key_positions[:, None, :] > query_positions[:, :, None]
        scores = np.where(masked[:, None, None, :, :], -np.inf, scores)
    top = scores.max(-1, keepdims=True)
    exponentials = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = exponentials.sum(-1, keepdims=True)
    return exponentials / np.where(total == 0, 1, total)


def attention_dropout(a, x, seed, samples, heads, query_positions,
                      key_positions):
    return x * keep_mask(a, seed, samples[:, None, None, None, None],
                         heads[None, :, :, None, None],
                         query_positions[:, None, None, :, None],
                         key_positions[:, None, None, None, :])


def attention_grad(a, g, q, k, v, out, logsumexp, *places):
    p, factor, _ = probabilities(a, q, k, *places)
    dz = np.einsum("bskgd,btkd->bskgt", g, v, optimize=True) * factor
    ds = p * (dz - (g * out).sum(-1)[..., None]) * a["scale"]
    return (np.einsum("bskgt,btkd->bskgd", ds, k, optimize=True),
            np.einsum("bskgt,bskgd->btkd", ds, q, optimize=True),
            np.einsum("bskgt,bskgd->btkd", p * factor, g, optimize=True))


def exponentials(a, x, top, rows):
    return np.where(rows < a["classes"], np.exp(x - top[..., None]), 0)


def nll_grad(a, g, exp_sum, labels):
    g = np.where(labels >= 0, g, 0)
    return g / exp_sum, -g


def adamw(a, p, m, v, g, clip, rate, correction1, correction2, valid):
    if valid == 0:
        return p, m, v
    g = clip * g
    m = a["beta1"] * m + (1 - a["beta1"]) * g
    v = a["beta2"] * v + (1 - a["beta2"]) * g * g
    step = (m / correction1) / (np.sqrt(v / correction2) + a["epsilon"])
    return p * (1 - rate * a["weight_decay"]) - rate * step, m, v


OPS = {
    "dist.iota": lambda a: a.get("start", 0) + np.arange(
        math.prod(a["result_shapes"][0])).reshape(a["result_shapes"][0]),
    "tfm.embedding": lambda a, table, ids, rows: one_hot(ids, rows) @ table,
    "tfm.embedding_grad": lambda a, g, ids, rows: np.einsum(
        "bsh,bsV->Vh", g, one_hot(ids, rows)),
    "tfm.dropout": dropout,
    "tfm.layer_norm": layer_norm,
    "tfm.layer_norm_input_grad": layer_norm_input_grad,
    "tfm.layer_norm_param_grad": layer_norm_param_grad,
    "tfm.linear": linear,
    "tfm.linear_input_grad": linear_input_grad,
    "tfm.linear_weight_grad": linear_weight_grad,
    "tfm.bias_add": lambda a, x, bias: x + bias,
    "tfm.bias_grad": sum_leading,
    "tfm.add": lambda a, x, y: x + y,
    "tfm.accumulate": lambda a, x, y: x + y,
    "tfm.scale": lambda a, x, factor: x * factor,
    "tfm.gelu": gelu,
    "tfm.gelu_grad": gelu_grad,
    "tfm.relu": lambda a, x: np.maximum(x, 0),
    "tfm.relu_grad": lambda a, g, x: np.where(x > 0, g, 0),
    "tfm.silu": lambda a, x: x * sigmoid(x),
    "tfm.silu_grad": silu_grad,
    "tfm.residual": lambda a, x: x,
    "tfm.attention": attention,
    "tfm.attention_grad": attention_grad,
    "tfm.attention_scores": lambda a, q, k: np.einsum(
        "bskgd,btkd->bkgst", q, k, optimize=True),
    "tfm.attention_context": lambda a, weights, values: np.einsum(
        "bkgst,btkd->bskgd", weights, values, optimize=True),
    "tfm.attention_key_grad": lambda a, weights, rows: np.einsum(
        "bkgst,bskgd->btkd", weights, rows, optimize=True),
    "tfm.masked_softmax": masked_softmax,
    "tfm.masked_softmax_grad": lambda a, g, p: a["scale"] * p * (
        g - (g * p).sum(-1, keepdims=True)),
    "tfm.attention_dropout": attention_dropout,
    "tfm.row_max": lambda a, x, rows: np.where(rows < a["classes"], x,
                                               -np.inf).max(-1),
    "tfm.exp_sum": lambda a, x, top, rows: exponentials(a, x, top, rows).sum(-1),
    "tfm.exp_sum_grad": lambda a, g, x, top, rows: g[..., None] *
    exponentials(a, x, top, rows),
    "tfm.pick": lambda a, x, labels, rows: (x * one_hot(labels, rows)).sum(-1),
    "tfm.pick_grad": lambda a, g, labels, rows: g[..., None] *
    one_hot(labels, rows),
    "tfm.nll": lambda a, exp_sum, top, pick, labels: np.where(
        labels >= 0, np.log(exp_sum) + top - pick, 0),
    "tfm.nll_grad": nll_grad,
    "tfm.sum_all": lambda a, x: x.sum(),
    "tfm.broadcast": lambda a, x: np.broadcast_to(x, a["result_shapes"][0]),
    "tfm.count_valid": lambda a, labels: float((labels >= 0).sum()),
    "tfm.sum_squares": lambda a, x: (x * x).sum(),
    "tfm.sqrt": lambda a, x: np.sqrt(x),
    "tfm.reciprocal": lambda a, x: 0.0 if x == 0 else 1 / x,
    "tfm.clip_factor": lambda a, norm: 1.0 if a["max_norm"] == 0 else min(
        1.0, a["max_norm"] / (norm + 1e-6)),
    "tfm.count_step": lambda a, step, valid: step + (valid > 0),
    "tfm.bias_correction": lambda a, step: 1 - a["beta"]**step,
    "tfm.sgd": lambda a, p, g, clip, rate, valid: p if valid == 0 else p - rate *
    (clip * g + a["weight_decay"] * p),
    "tfm.adamw": adamw,
}
