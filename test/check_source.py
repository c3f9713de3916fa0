"""Finds includes that break the layers, files over budget, unread options.

    check_source.py ROOT

Reads every source file below the top folders of the repository at ROOT.
"""

import pathlib
import re
import sys

# What the files of a folder may include besides their own folder.
LAYERS = {
    "cluster": [],
    "dialects": ["cluster"],
    "passes": ["cluster", "dialects"],
    "frontends": ["dialects", "passes"],
    "runtime": ["cluster"],
    "tools": ["cluster", "dialects", "passes", "frontends", "runtime"],
}
# What any folder may include: how much working memory attention needs is told by
# the device, and reserved by the compiler.
SHARED = {"runtime/device/attention_workspace.h"}
# These build without MLIR.
NO_MLIR = {"cluster", "runtime"}
# Lines; where a file needs more it is more than one idea.
BUDGET = {".h": 250, ".td": 400, ".mlir": 300, ".test": 300, ".cpp": 800,
          ".cc": 800}
TOPS = [*LAYERS, "test", "benchmarks"]

INCLUDE = re.compile(r'^[ \t]*#?[ \t]*include[ \t]+["<]([^">]+)[">]', re.M)
# An option of a pass in ODS, or of a pipeline in C++.
OPTION = re.compile(r'\b(?:List)?Option<(?:"(\w+)"|[^;{}"]*>\s+(\w+)\s*\{)')
LEFTOVER = re.compile(r"\b(TODO|FIXME|XXX)\b")


def folder_of(path):
    return path.split("/", 1)[0]


def layer_complaints(path, text):
    own = folder_of(path)
    for included in INCLUDE.findall(text):
        other = folder_of(included)
        if own in NO_MLIR and other in ("mlir", "llvm", "llvm-c", "mlir-c"):
            yield f"{own} must build without MLIR, but includes {included}"
        elif (own in LAYERS and other in LAYERS and other != own
              and included not in SHARED
              and other not in LAYERS[own]):
            allowed = ", ".join(LAYERS[own]) or "nothing else"
            yield f"includes {included}; {own} may include {allowed}"


def budget_complaints(path, text):
    lines = text.count("\n")
    budget = BUDGET.get(pathlib.PurePosixPath(path).suffix)
    if budget is not None and lines > budget:
        yield f"has {lines} lines, its budget is {budget}"


def option_complaints(path, text, code):
    for names in OPTION.findall(text):
        name = names[0] or names[1]
        if not re.search(rf"\b{name}\b", code):
            yield f"no code of its folder reads the option {name}"


def leftover_complaints(text):
    for word in sorted(set(LEFTOVER.findall(text))):
        yield f"holds a {word}"


def main(root):
    root = pathlib.Path(root)
    sources = {path.relative_to(root).as_posix(): path.read_text()
               for top in TOPS for path in sorted((root / top).rglob("*"))
               if path.suffix in BUDGET}
    code_of = {}
    for path, text in sources.items():
        if path.endswith((".cpp", ".cc")):
            folder = path.rsplit("/", 1)[0]
            code_of[folder] = code_of.get(folder, "") + text
    found = []
    for path, text in sources.items():
        code = code_of.get(path.rsplit("/", 1)[0], "")
        found += [f"{path}: {complaint}" for complaint in
                  (*layer_complaints(path, text), *budget_complaints(path, text),
                   *option_complaints(path, text, code),
                   *leftover_complaints(text))]
    print(*found, f"{len(sources)} files, {len(found)} complaints", sep="\n")
    return bool(found) or not sources


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
