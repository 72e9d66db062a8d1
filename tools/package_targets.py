"""The targets of a package, as `swift package` reads them from its manifest."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Target:
    """A target: its name, its kind (`regular`, `executable`, `test`, `system` …), the names of its dependencies, and its folder.

    A dependency is a target, or a product of another package.
    """

    def __init__(self, description, root):
        self.name = description["name"]
        self.kind = description["type"]
        self.dependencies = [(one.get("byName") or one.get("target") or one["product"])[0] for one in description["dependencies"]]
        self.folder = root / (description.get("path") or ("Tests/" if self.kind == "test" else "Sources/") + self.name)


def targets(root=ROOT):
    """The targets of the package in a folder, by name, in the manifest's order."""
    text = subprocess.run(
        ["swift", "package", "--package-path", root, "dump-package"], check=True, capture_output=True, text=True).stdout
    return {one["name"]: Target(one, root) for one in json.loads(text)["targets"]}
