"""Prints the public symbols that have no doc comment, and ends with status 1 if there is one.

    tools/undocumented.py FILE.symbols.json…

Reads symbol graphs, as `swift-symbolgraph-extract` writes them. The cases of enumerations whose cases are texts are left out: their texts
say what they mean.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEXTS = {"Reason", "Expectation", "ItemKind", "JSONContent", "JSONFlaw", "JSONObjectKind", "ProblemSubject"}


def undocumented(graph):
    for symbol in graph["symbols"]:
        path = symbol["pathComponents"]
        if "location" not in symbol or "docComment" in symbol:
            continue
        if symbol["kind"]["identifier"] == "swift.enum.case" and path[0] in TEXTS:
            continue
        file = pathlib.Path(symbol["location"]["uri"].removeprefix("file://"))
        place = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
        yield f"{place}:{symbol['location']['position']['line'] + 1}: {'.'.join(path)} is public and has no doc comment"


def main():
    if not sys.argv[1:] or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    faults = sorted({fault for name in sys.argv[1:] for fault in undocumented(json.loads(pathlib.Path(name).read_text()))})
    print("\n".join(faults), end="\n" if faults else "", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
