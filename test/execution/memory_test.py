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


def check(tools, data, strategy):
    """What is wrong, if anything, when eight ranks train so."""
    plan = tools.plan(tools.model(JOB, "job"), strategy, "tiny")
    told = tools.inspect(plan)
    resident = resident_bytes([str(tools.folder / "mpc-run"), "train", str(plan),
                               f"--data={data}", "--steps=3"])
    memories = [role["memory"] for role in told["roles"]]
    replicas = told["ranks"] // len(memories)
    arenas = replicas * sum(memory["arena_bytes"] for memory in memories)
    beside = resident - arenas
    print(f"{told['strategy']}: {resident / 1e6:.1f} MB resident, "
          f"{arenas / 1e6:.1f} MB of it in arenas, {beside / 1e6:.1f} MB beside them")
    for stage, memory in enumerate(memories):
        categories = sum(memory["bytes_by_category"].values())
        if categories != memory["arena_bytes"]:
            return (f"stage {stage}: categories sum to {categories}, "
                    f"the arena is {memory['arena_bytes']}")
    # Less than nothing would mean that arenas are not what is measured.
    if told["ranks"] != 8 or not 0 < beside < LIMIT:
        return f"{beside} bytes beside the arenas of {told['ranks']} ranks"
    return None


def main(binaries):
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(pathlib.Path(binaries), pathlib.Path(folder))
        data = tools.work / "text"
        data.write_bytes(bytes(range(256)) * 4)
        wrong = [check(tools, data, strategy)
                 for strategy in ("tp=4 dp=2 sequence_parallel=true zero=1",
                                  "tp=2 pp=2 dp=2 microbatches=4 schedule=gpipe")]
    wrong = [text for text in wrong if text]
    print(*wrong, f"{len(wrong)} failed", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
