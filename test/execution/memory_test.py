"""What a process of eight ranks holds beside the arenas that the plan states.

  memory_test.py BIN

Trains a tiny model on eight ranks and compares the largest resident size of the
process with the sum of the arenas, and the categories of memory with the arena.
"""
import os
import pathlib
import sys
import tempfile

from tools import Tools

JOB = """
model { layers: 2 hidden: 32 heads: 8 vocabulary: 256 positions: 16 }
training { sequence_length: 16 global_batch: 8 }
"""
LIMIT = 300e6


def resident_bytes(command):
    """The largest resident size of a command, which must succeed."""
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status):
        raise RuntimeError(f"{command}: status {status}")
    return usage.ru_maxrss * 1024


def main(binaries):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        tools = Tools(pathlib.Path(binaries), work)
        plan = tools.plan(tools.model(JOB, "job"),
                          "tp=4 dp=2 sequence_parallel=true zero=1", "tiny")
        data = work / "text"
        data.write_bytes(bytes(range(256)) * 4)
        told = tools.inspect(plan)
        memory = told["roles"][0]["memory"]
        resident = resident_bytes([str(tools.folder / "mpc-run"), "train", str(plan),
                                   f"--data={data}", "--steps=3"])
    arenas = told["ranks"] * memory["arena_bytes"]
    beside = resident - arenas
    categories = sum(memory["bytes_by_category"].values())
    print(f"{told['ranks']} ranks: {resident / 1e6:.1f} MB resident, "
          f"{arenas / 1e6:.1f} MB of it in arenas, {beside / 1e6:.1f} MB beside them")
    if categories != memory["arena_bytes"]:
        print(f"categories sum to {categories}, the arena is {memory['arena_bytes']}")
        return 1
    # Less than nothing would mean that arenas are not what is measured.
    return 0 if told["ranks"] == 8 and 0 < beside < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
