"""Checks the functions of a training step, interpreted in numpy.

    interpret_step.py differences STEP.mlir      gradients by finite differences
    interpret_step.py golden STEP.mlir GOLDEN    against make_*_golden.py

STEP.mlir comes, for the golden numbers of GPT-2, from

    mpc-translate --import-huggingface gpt2_config.json \\
        --training=gpt2_training.textproto |
      mpc-opt --mpc-training --mlir-print-op-generic -o STEP.mlir

Every op is computed in double precision from its description in the dialect, by
code that shares nothing with the compiler. Needs numpy from PyPI; exits non-zero
without it and if a number differs.
"""

import math
import re
import sys

try:
    import numpy as np
    from tfm_ops import OPS
except ImportError as missing:
    sys.exit(f"interpret_step.py: {missing}; install it from PyPI")

# ------------------------------------------------------------ the printed form

OP = re.compile(r'^\s*(?:(%\w+)(?::\d+)? = )?"([\w.]+)"\((.*?)\)'
                r'(?: <\{(.*)\}>)? : \((.*)\) -> (.*)$')
BINDING = re.compile(r'#tfm\.binding<(\w+) "([^"]*)">')
TENSOR = re.compile(r"tensor<((?:\d+x)*)[fib]\w+>")


def shape_of(text):
    return tuple(int(size) for size in text.split("x") if size)


def attribute(text):
    text = text.split(" : ")[0]
    word = re.fullmatch(r"#\w+\.\w+<(\w+)>", text)
    if word:
        return word[1]
    return text == "true" if text in ("true", "false") else float(text)


class Function:
    """One function of the step: bindings of its arguments and results, ops."""

    def __init__(self, header, lines):
        arguments, _, results = header.partition("res_attrs = ")
        self.name = re.search(r'sym_name = "(\w+)"', header)[1]
        self.arguments = BINDING.findall(arguments)
        self.results = BINDING.findall(results)
        entry = re.findall(r"(%\w+): (tensor<[^>]*>)", lines[0])
        self.values = [name for name, _ in entry]
        self.shapes = [shape_of(TENSOR.match(type_)[1]) for _, type_ in entry]
        assert len(self.values) == len(self.arguments)
        self.ops = [self.parse(line) for line in lines[1:]]

    @staticmethod
    def parse(line):
        match = OP.match(line)
        if not match:
            sys.exit(f"interpret_step.py: does not understand: {line.strip()}")
        result, name, operands, attributes, _, types = match.groups()
        a = {}
        for pair in (attributes or "").split(", "):
            key, _, value = pair.partition(" = ")
            if key not in ("", "phase"):
                a[key] = attribute(value)
        a["result_shapes"] = [shape_of(t) for t in TENSOR.findall(types)]
        return result, name, [o for o in operands.split(", ") if o], a

    def run(self, state):
        """Reads what the arguments are bound to, writes the results' state."""
        env = {name: np.asarray(state[binding])
               for name, binding in zip(self.values, self.arguments)}
        for result, name, operands, a in self.ops:
            inputs = [env[operand] for operand in operands]
            if name == "func.return":
                state.update(zip(self.results, inputs))
                return
            outputs = OPS[name](a, *inputs)
            if not isinstance(outputs, tuple):
                env[result] = np.asarray(outputs)
                outputs = (outputs,)
            for index, (output, shape) in enumerate(
                    zip(outputs, a["result_shapes"])):
                env[f"{result}#{index}"] = np.asarray(output)
                if np.shape(output) != shape:
                    sys.exit(f"interpret_step.py: {name} gives "
                             f"{np.shape(output)}, its type is {shape}")


def read_functions(path):
    functions, header, lines = {}, None, []
    for line in open(path):
        if '"func.func"()' in line:
            header, lines = line, []
        elif header and line.strip().startswith("}) :"):
            functions[re.search(r'sym_name = "(\w+)"', header)[1]] = Function(
                header, lines)
            header = None
        elif header:
            lines.append(line)
    missing = {"prologue", "forward_backward", "update"} - set(functions)
    if missing:
        sys.exit(f"interpret_step.py: no function {', '.join(sorted(missing))}")
    return functions


# ------------------------------------------------------------------- a step


class Step:
    """A training step on given state. Batches are of a whole step: the leading
    dimension holds the sequences of all microbatches."""

    def __init__(self, path):
        self.functions = read_functions(path)
        forward = self.functions["forward_backward"]
        self.shapes = dict(zip(forward.arguments, forward.shapes))
        prologue = self.functions["prologue"]
        labels = prologue.shapes[prologue.arguments.index(
            ("batch", "step.labels"))]
        self.microbatches, self.batch = labels[0], labels[1:]

    def parameters(self):
        return [name for kind, name in self.shapes if kind == "compute"]

    def accumulate(self, state, batches):
        """Runs the prologue and all microbatches."""
        state[("batch", "step.labels")] = batches["labels"].reshape(
            self.microbatches, *self.batch)
        self.functions["prologue"].run(state)
        for name in self.parameters():
            state[("accumulator", name)] = np.zeros(
                self.shapes[("compute", name)])
        state[("carry", "loss_sum")] = 0.0
        for microbatch in range(self.microbatches):
            begin = microbatch * self.batch[0]
            for name, values in batches.items():
                state[("batch", name)] = values[begin:begin + self.batch[0]]
            self.functions["forward_backward"].run(state)

    def loss(self, state):
        return float(state[("carry", "loss_sum")] *
                     state[("carry", "inverse_count")])

    def update(self, state):
        self.functions["update"].run(state)


def positions_and_samples(shape):
    return {"positions": np.broadcast_to(np.arange(shape[1]), shape),
            "samples": np.arange(shape[0]),
            "token_types": np.zeros(shape, int)}


def check_differences(step):
    """Every parameter, at places drawn at random, on random inputs."""
    random = np.random.default_rng(1)
    shape = step.microbatches * step.batch[0], step.batch[1]
    table = next(step.shapes[("compute", name)] for name in step.parameters()
                 if name.endswith(("wte.weight", "word_embeddings.weight")))
    batches = positions_and_samples(shape)
    vocabulary = 13 if table[0] < 32 else table[0]
    batches["ids"] = random.integers(0, vocabulary, shape)
    batches["labels"] = random.integers(-1, vocabulary, shape)
    batches["labels"][0, :-1] = -1
    state = {("input_scalar", "seed"): 7}
    for name in step.parameters():
        norm = "ln_" in name or "norm." in name.lower()
        center = 1.0 if norm and name.endswith("weight") else 0.0
        state[("master", name)] = center + 0.2 * random.standard_normal(
            step.shapes[("compute", name)])
    step.accumulate(state, batches)
    failures = 0
    for name in step.parameters():
        gradient = state[("accumulator", name)]
        scale = abs(gradient).max()
        worst = 0.0
        for flat in random.choice(gradient.size, min(gradient.size, 12), False):
            place = np.unravel_index(flat, gradient.shape)
            values, h = [], 1e-5
            for sign in (1, -1):
                moved = dict(state)
                master = state[("master", name)].copy()
                master[place] += sign * h
                moved[("master", name)] = master
                step.accumulate(moved, batches)
                values.append(step.loss(moved))
            difference = (values[0] - values[1]) / (2 * h)
            worst = max(worst, abs(difference - gradient[place]))
        if not worst <= 1e-8 + 1e-6 * scale:
            failures += 1
            print(f"{name}: differs by {worst:g}, largest {scale:g}")
    print(f"{len(step.parameters())} parameters, {failures} differ")
    return failures


def read_golden(path):
    """The words of golden_steps.py, by label and name."""
    words = []
    for line in open(path):
        if not line.startswith("#"):
            words += line.split()
    numbers, at = {"steps": []}, 0

    def array(shape):
        nonlocal at
        count = math.prod(shape)
        values = np.array([float(word) for word in words[at:at + count]])
        at += count
        return values.reshape(shape)

    while at < len(words):
        label, at = words[at], at + 1
        if label in ("ids", "labels", "positions"):
            shape = int(words[at]), int(words[at + 1])
            at += 2
            numbers[label] = array(shape).astype(np.int64)
        elif label in ("parameter", "gradient"):
            name, rank = words[at], int(words[at + 1])
            at += 2
            shape = tuple(int(word) for word in words[at:at + rank])
            at += rank
            numbers.setdefault(label, {})[name] = array(shape)
        elif label == "step":
            numbers["steps"].append(array((3,)))
        else:
            numbers[label] = array((1,))[0]
    return numbers


def padded(array, shape):
    return np.pad(array, [(0, to - size) for size, to in zip(array.shape, shape)])


def check_golden(step, path):
    golden = read_golden(path)
    batches = positions_and_samples(golden["ids"].shape)
    batches.update((name, golden[name]) for name in ("ids", "labels", "positions")
                   if name in golden)
    state = {("input_scalar", "seed"): 0, ("counter", "step"): 0.0}
    for name in step.parameters():
        shape = step.shapes[("compute", name)]
        state[("master", name)] = padded(golden["parameter"][name], shape)
        state[("moment1", name)] = state[("moment2", name)] = np.zeros(shape)
    failures = 0

    def compare(what, found, expected, relative):
        nonlocal failures
        error = abs(np.asarray(found) - expected).max()
        if not error <= relative * max(abs(np.asarray(expected)).max(), 1e-6):
            failures += 1
            print(f"{what}: differs by {error:g}")

    for number, loss, norm in golden["steps"]:
        step.accumulate(state, batches)
        if number == 1:
            compare("valid_tokens", state[("metric", "valid_tokens")],
                    golden["valid_tokens"], 0)
            compare("loss", step.loss(state), golden["loss"], 1e-10)
            for name in step.parameters():
                gradient = state[("accumulator", name)]
                logical = golden["gradient"][name]
                compare(f"gradient {name}", gradient,
                        padded(logical, gradient.shape), 1e-7)
        state[("input_scalar", "learning_rate")] = 0.01
        step.update(state)
        # The step's settings are f32 in the IR, which shows after some steps.
        compare(f"loss of step {number:g}", state[("metric", "loss")], loss, 1e-6)
        compare(f"norm of step {number:g}", state[("metric", "grad_norm")], norm,
                1e-5)
    print(f"{len(step.parameters())} gradients and {len(golden['steps'])} steps, "
          f"{failures} differ")
    return failures


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "differences":
        return check_differences(Step(arguments[1]))
    if len(arguments) == 3 and arguments[0] == "golden":
        return check_golden(Step(arguments[1]), arguments[2])
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
