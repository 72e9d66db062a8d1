"""The targets of the package, as `swift package` reads them from the manifest."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Target:
    """A target: its name, its kind (`regular`, `executable`, `test`, `system` …), the names of its dependencies, and its folder."""

    def __init__(self, description):
        self.name = description["name"]
        self.kind = description["type"]
        self.dependencies = [(one.get("byName") or one["target"])[0] for one in description["dependencies"]]
        self.folder = ROOT / (description.get("path") or ("Tests/" if self.kind == "test" else "Sources/") + self.name)


def targets():
    """The targets by name, in the manifest's order."""
    text = subprocess.run(
        ["swift", "package", "--package-path", ROOT, "dump-package"], check=True, capture_output=True, text=True).stdout
    return {one["name"]: Target(one) for one in json.loads(text)["targets"]}
