# How lit runs the tests; read after lit.site.cfg.py, which the build writes.
import os

import lit.formats
from lit.llvm import llvm_config

config.name = "MPC"
# Within lit's own shell: the same on every machine, and faster.
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# Files that tests read.
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mpc_binary_dir, "test")
for folder in ["examples", "runtime"]:
    config.substitutions.append(("%" + folder,
                                 os.path.join(config.mpc_source_dir, folder)))
config.substitutions.append(("%configs", os.path.join(
    config.test_source_root, "frontends", "configs")))

# A variable of FileCheck lives only within its CHECK-LABEL section, unless its
# name starts with $.
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"

# Executables that stand in folders of ours; the others are LLVM's.
llvm_config.add_tool_substitutions(
    ["mpc-opt", "mpc-translate", "mpc-run", "FileCheck", "not", "count",
     "split-file"],
    [os.path.join(config.mpc_binary_dir, "bin"), config.llvm_tools_dir])
