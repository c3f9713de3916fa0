"""MPC's tools, as the tests in Python call them."""
import json
import subprocess


class Tools:
    """Runs the tools of `folder`; files go to `work`."""

    def __init__(self, folder, work):
        self.folder, self.work = folder, work

    def run(self, tool, *arguments):
        done = subprocess.run([str(self.folder / tool), *map(str, arguments)],
                              capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise RuntimeError(f"{tool} {' '.join(map(str, arguments))}: exit "
                               f"{done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def model(self, spec, name):
        """A job spec as a module."""
        job, model = self.work / f"{name}.textproto", self.work / f"{name}.model.mlir"
        job.write_text(spec)
        self.run("mpc-translate", "--import-spec", job, "-o", model)
        return model

    def plan(self, model, strategy, name):
        module, plan = self.work / f"{name}.mlir", self.work / f"{name}.plan"
        self.run("mpc-opt", f"--mpc-compile={strategy}", model, "-o", module)
        self.run("mpc-translate", "--export-plan", module, "-o", plan)
        return plan

    def inspect(self, plan):
        return json.loads(self.run("mpc-run", "inspect", plan, "--format=json"))
