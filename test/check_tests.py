"""Finds lit tests that could not fail.

    check_tests.py FOLDER...

A test passes for the wrong reason when no RUN line judges anything, when a
FileCheck prefix has no directives (or directives no prefix), or when a directive
is misspelt: FileCheck takes what it does not know for a comment. Every .mlir and
.test file below the folders is read; finding none at all is a failure too.
"""

import difflib
import pathlib
import re
import sys

# What a directive may be called after its prefix.
DIRECTIVES = ["", "-NEXT", "-SAME", "-NOT", "-DAG", "-LABEL", "-EMPTY", "-COUNT"]
# Tags at the start of a comment that are no directives.
OTHER_TAGS = {"RUN", "REQUIRES", "UNSUPPORTED", "XFAIL", "DEFINE", "REDEFINE",
              "COM", "NOTE"}
# Commands whose exit status is the verdict. `mpc-run verify` compares.
JUDGES = re.compile(r"\bnot\b|\bdiff\b|\bcmp\b|\bmpc-run verify\b")
EXPECTATION = re.compile(
    r"expected-(?:error|warning|note|remark|no-diagnostics)")
COMMENTED_TAG = re.compile(r"^\s*(?:#|//|;)\s*([A-Z0-9][A-Z0-9_-]*):", re.M)


def run_lines(text):
    """The commands, each on one line however it was broken."""
    commands, open_line = [], ""
    for part in re.findall(r"RUN:[ \t]*(.*)", text):
        open_line += part.removesuffix("\\")
        if not part.endswith("\\"):
            commands.append(open_line)
            open_line = ""
    return commands + ([open_line] if open_line else [])


def prefixes_of(command):
    """The FileCheck prefixes that a command reads."""
    prefixes = set()
    for call in re.findall(r"\bFileCheck\b([^|;&]*)", command):
        named = re.findall(r"--?check-prefix(?:es)?[ =]\s*([\w,-]+)", call)
        prefixes.update(*[names.split(",") for names in named])
        if not named:
            prefixes.add("CHECK")
    return prefixes


def split_directive(tag):
    """`tag` without a directive's ending."""
    return re.sub(r"-(?:NEXT|SAME|NOT|DAG|LABEL|EMPTY|COUNT(?:-\d+)?)$", "", tag)


def complaints(text):
    commands = run_lines(text)
    if not commands:
        yield "has no RUN line"
        return
    prefixes = set().union(*map(prefixes_of, commands))
    diagnoses = any("-verify-diagnostics" in command for command in commands)
    if diagnoses and not prefixes and not EXPECTATION.search(text):
        yield "runs -verify-diagnostics and expects no diagnostic"
    if not (prefixes or diagnoses or any(map(JUDGES.search, commands))):
        yield "judges nothing: no FileCheck, -verify-diagnostics, diff or not"

    tags = set(COMMENTED_TAG.findall(text)) - OTHER_TAGS
    stems = {split_directive(tag) for tag in tags}
    for prefix in sorted(prefixes - stems):
        yield f"no line of the test begins with {prefix}"
    legal = [prefix + ending for prefix in prefixes for ending in DIRECTIVES]
    for tag in sorted(tags):
        if split_directive(tag) in prefixes:
            continue
        near = difflib.get_close_matches(tag, legal, n=1, cutoff=0.8)
        if near:
            yield f"{tag} is read by nothing; is it {near[0]}?"
        elif tag.startswith("CHECK"):
            yield f"{tag} is read by nothing"


def main(folders):
    files = sorted(path for folder in folders
                   for path in pathlib.Path(folder).rglob("*")
                   if path.suffix in (".mlir", ".test")
                   and "Inputs" not in path.parts)
    found = [f"{path}: {complaint}" for path in files
             for complaint in complaints(path.read_text())]
    print(*found, f"{len(files)} tests, {len(found)} complaints", sep="\n")
    return bool(found) or not files


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
