"""Failures of other systems' pipelines, as tests of ours.

  reported_pipelines.py BIN

A hang with fewer microbatches than stages or as many; layers that floor division left
out; a last stage that owns the head and the most layers; gradients of another scale than
without stages; a tied table whose copies drift apart or count twice in the norm.
"""
import itertools
import pathlib
import sys
import tempfile

from tools import Tools

JOB = """
model {{
  layers: {layers} hidden: 16 heads: 4 ffn: 24 vocabulary: {vocabulary} positions: 16
  tied_embedding: {tied}
}}
training {{ sequence_length: 16 global_batch: {batch} optimizer: SGD dropout: 0 }}
"""


class Case:
    """A model, and what the tools make of it."""

    def __init__(self, tools, layers=4, vocabulary=13, tied="true", batch=16):
        self.tools = tools
        self.name = f"l{layers}v{vocabulary}{tied}b{batch}"
        self.model = tools.model(
            JOB.format(layers=layers, vocabulary=vocabulary, tied=tied, batch=batch), self.name)

    def plan(self, strategy):
        return self.tools.plan(self.model, strategy, self.name)

    def verify(self, strategy, microbatches, steps=2):
        """Raises if the plan hangs or a gradient, the norm or a replica differs."""
        reference = self.tools.work / f"{self.name}.{microbatches}.reference"
        if not reference.exists():
            self.plan(f"reference=true microbatches={microbatches}").rename(reference)
        self.tools.run("mpc-run", "verify", self.plan(f"{strategy} microbatches={microbatches}"),
                       f"--reference={reference}", f"--steps={steps}", "--threads-per-rank=1")

    def roles(self, strategy):
        return self.tools.inspect(self.plan(strategy))["roles"]


def layers_of(role):
    """The numbers of the layers whose parameters a stage holds."""
    names = (parameter["name"].split(".") for parameter in role["parameters"])
    return {int(name[name.index("h") + 1]) for name in names if "h" in name}


def check_any_number_of_microbatches(tools):
    for microbatches in range(1, 9):
        case = Case(tools, batch=2 * microbatches)
        for stages in (2, 3, 4):
            case.verify(f"pp={stages}", microbatches)


def check_layers_that_stages_do_not_divide(tools):
    for layers, stages in ((27, 2), (27, 4), (61, 8)):
        roles = Case(tools, layers=layers).roles(f"pp={stages} microbatches=1")
        held = [layers_of(role) for role in roles]
        assert sorted(itertools.chain(*held)) == list(range(layers)), held
        sizes = [len(stage) for stage in held]
        assert sizes[-1] == min(sizes), f"the stage with the head has most layers: {sizes}"
        assert max(sizes) - min(sizes) <= 2, sizes
    Case(tools, layers=30, batch=4).verify("pp=4", 2)


def check_large_vocabulary(tools):
    """A head that costs more than all layers has a stage of its own."""
    roles = Case(tools, vocabulary=20011).roles("pp=4 microbatches=1")
    held = [layers_of(role) for role in roles]
    assert not held[-1] and sorted(itertools.chain(*held)) == [0, 1, 2, 3], held


def check_scale_of_gradients(tools):
    for stages in (2, 4):
        Case(tools, tied="false").verify(f"pp={stages}", 4)


def check_tied_table(tools):
    case = Case(tools)
    for zero in (0, 1):
        case.verify(f"pp=2 dp=2 zero={zero}", 2, steps=4)
    plan = tools.inspect(case.plan("pp=2 microbatches=2"))
    assert plan["parameter_count"] == tools.inspect(case.plan(""))["parameter_count"]
    # The first stage owns it, the last has a copy of the same size to compute with.
    table = [parameter for role in plan["roles"] for parameter in role["parameters"]
             if parameter["name"].endswith("wte.weight")]
    assert len(table) == 1, table
    held = [role["memory"]["bytes_by_category"] for role in plan["roles"]]
    assert held[1]["incoming"] >= 13 * 16 * 4, held


def main(binaries):
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(binaries), pathlib.Path(folder))
        for check in (check_any_number_of_microbatches, check_layers_that_stages_do_not_divide,
                      check_large_vocabulary, check_scale_of_gradients, check_tied_table):
            check(tools)
            print(f"{check.__name__}: as expected", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
