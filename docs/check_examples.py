"""Fails if an example in the documentation does not parse and verify.

  check_examples.py path/to/mpc-opt file-or-folder...

Each block that begins with ```mlir is a module of its own; a fragment goes into a
plain block. No example at all is a failure too.
"""
import pathlib
import re
import subprocess
import sys

EXAMPLE = re.compile(r"^( *)```mlir\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def examples(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*.md")) if path.is_dir() else [path]:
            text = file.read_text()
            for match in EXAMPLE.finditer(text):
                yield f"{file}:{text.count(chr(10), 0, match.start()) + 1}", match[2]


def main(tool, *paths):
    checked = failed = 0
    for place, source in examples(paths):
        checked += 1
        run = subprocess.run([tool, "-o", "/dev/null"], input=source, text=True,
                             capture_output=True)
        if run.returncode:
            failed += 1
            print(f"{place}: the example does not verify\n{run.stderr}")
    print(f"{checked} examples, {failed} do not verify")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
