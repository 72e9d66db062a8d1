#!/usr/bin/env python3
"""Computes the transitions of the sample tracks under the policy `exact`, as an independent check of the engine.

    pip install geographiclib
    tools/sample-data/expected.py            writes data/expected/<track>.jsonl
    tools/sample-data/expected.py --check    compares with these files; exit status 1 if they differ

This program shares no code with Picket or with the generator, and compares every fix with every geofence. A circle contains a fix if
Karney's geodesic distance on the WGS 84 ellipsoid is at most the radius. A polygon contains a fix by the even-odd rule in longitude and
latitude; its boundary counts as inside. Inactive geofences contain nothing. A geofence with devices or groups applies only to these.

The fixes of a device are processed in order of time (fixes with equal times in the order of the file), exact duplicates only once. An
enter or exit is reported at the fix that shows it: exits first, then enters, then dwells, each in order of the geofence ids. A dwell is
reported once per visit, at the time of the enter plus the geofence's `dwell`, as soon as a fix at or after that time arrives. A deadline
before the time of a fix is handled before the fix; a deadline at the time of the fix is handled after it. If the deadline is more than
six hours after the previous fix, the device could have left in the meantime: the dwell is then reported at the next fix if the device
is still inside there. After the last fix of a device no time passes.

The output has one line per transition:

    {"deviceId","geofenceId","type","occurredAt","cause","marginMetres"}

`marginMetres` is the distance of the deciding fix from the boundary of a circle, which shows how certain the line is; null for a polygon.
The deciding fix of a dwell is the last one at or before the time of the dwell. `cause` is `initial` for an enter at the first fix of a
device, otherwise `moved`. Devices are in order of their first row, the transitions of a device in order of time.
"""

import argparse
import csv
import json
import math
import sys
import xml.etree.ElementTree as ElementTree
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

from geographiclib.geodesic import Geodesic

DATA = Path(__file__).resolve().parents[2] / "data"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
SILENCE = 6 * 3600 * 1000  # milliseconds from a fix after which a dwell waits for the next fix
LEAST_CIRCLE_MARGIN = 0.01  # meters; closer to a boundary two correct programs can differ
LEAST_EDGE_MARGIN = 0.5  # meters

Ring = List[Tuple[float, float]]


class Fix(NamedTuple):
    """A row of a CSV file or a track point of a GPX file."""

    device: str
    time: int  # milliseconds since 1970
    latitude: float
    longitude: float


class Fence(NamedTuple):
    """A geofence: either a circle with a center and a radius in meters, or polygons whose rings are outer boundaries and holes."""

    id: str
    center: Optional[Tuple[float, float]]  # latitude, longitude
    radius: float
    polygons: List[List[Ring]]  # longitude, latitude
    dwell: Optional[int]  # milliseconds
    devices: Set[str]
    groups: Set[str]


class Transition(NamedTuple):
    """A line of a file in data/expected."""

    device: str
    fence: str
    type: str
    time: int
    cause: str
    margin: Optional[float]

    def line(self) -> str:
        margin = None if self.margin is None else round(self.margin, 3)
        return json.dumps(
            {"deviceId": self.device, "geofenceId": self.fence, "type": self.type, "occurredAt": _time(self.time),
             "cause": self.cause, "marginMetres": margin}, separators=(",", ":"))


# Geometry


class Cartesian(NamedTuple):
    """A point of the ellipsoid, in meters from the center of the Earth."""

    x: float
    y: float
    z: float


def cartesian(latitude: float, longitude: float) -> Cartesian:
    flattening = Geodesic.WGS84.f
    e2 = flattening * (2 - flattening)
    phi, lam = math.radians(latitude), math.radians(longitude)
    normal = Geodesic.WGS84.a / math.sqrt(1 - e2 * math.sin(phi) ** 2)
    return Cartesian(
        normal * math.cos(phi) * math.cos(lam), normal * math.cos(phi) * math.sin(lam), normal * (1 - e2) * math.sin(phi))


def geodesic(a: Tuple[float, float], b: Tuple[float, float]) -> float:
    """Returns the geodesic distance between two points (latitude, longitude) in meters."""
    return Geodesic.WGS84.Inverse(*a, *b, Geodesic.DISTANCE)["s12"]


def within(polygons: List[List[Ring]], x: float, y: float) -> bool:
    """Returns whether any of the polygons contains the point by the even-odd rule. Points on an edge are inside."""
    return any(_on_edge(rings, x, y) or sum(_crossings(ring, x, y) for ring in rings) % 2 == 1 for rings in polygons)


def _crossings(ring: Ring, x: float, y: float) -> int:
    """Returns the number of edges that a ray from the point to the east crosses."""
    count = 0
    for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            count += 1
    return count


def _on_edge(rings: List[Ring], x: float, y: float) -> bool:
    return any(
        (x - x0) * (y1 - y0) == (y - y0) * (x1 - x0) and min(x0, x1) <= x <= max(x0, x1) and min(y0, y1) <= y <= max(y0, y1)
        for ring in rings
        for (x0, y0), (x1, y1) in zip(ring, ring[1:]))


def edge_distance(polygons: List[List[Ring]], x: float, y: float) -> float:
    """Returns the distance to the nearest edge in meters, in a local planar approximation that is accurate only for close edges."""
    phi = math.radians(y)
    east, north = 111_320 * math.cos(phi) * (1 + 0.00335 * math.sin(phi) ** 2), 111_133 - 560 * math.cos(2 * phi)
    nearest = math.inf
    for rings in polygons:
        for ring in rings:
            for (x0, y0), (x1, y1) in zip(ring, ring[1:]):
                ax, ay, bx, by = (x0 - x) * east, (y0 - y) * north, (x1 - x) * east, (y1 - y) * north
                square = (bx - ax) ** 2 + (by - ay) ** 2
                along = min(1.0, max(0.0, -(ax * (bx - ax) + ay * (by - ay)) / square)) if square else 0.0
                nearest = min(nearest, math.hypot(ax + along * (bx - ax), ay + along * (by - ay)))
    return nearest


class Evaluator:
    """Finds the geofences that contain a fix, and records the smallest distance in meters of any fix to a boundary."""

    def __init__(self, fences: List[Fence]) -> None:
        self.fences = fences
        self.closest_circle = math.inf
        self.closest_edge = math.inf
        self._centers = [cartesian(*fence.center) if fence.center else None for fence in fences]

    def inside(self, fix: Fix, groups: Set[str]) -> Set[str]:
        """Returns the ids of the geofences that apply to the device and contain the fix."""
        point = cartesian(fix.latitude, fix.longitude)
        held = set()
        for fence, center in zip(self.fences, self._centers):
            if (fence.devices or fence.groups) and fix.device not in fence.devices and not fence.groups & groups:
                continue
            if center:
                # The straight line through the Earth is never longer than the geodesic.
                if math.dist(point, center) > fence.radius + 1:
                    continue
                distance = geodesic(fence.center, (fix.latitude, fix.longitude))
                self.closest_circle = min(self.closest_circle, abs(distance - fence.radius))
                if distance <= fence.radius:
                    held.add(fence.id)
            else:
                self.closest_edge = min(self.closest_edge, edge_distance(fence.polygons, fix.longitude, fix.latitude))
                if within(fence.polygons, fix.longitude, fix.latitude):
                    held.add(fence.id)
        return held


# The rules


def margin(fence: Fence, fix: Fix) -> Optional[float]:
    return abs(geodesic(fence.center, (fix.latitude, fix.longitude)) - fence.radius) if fence.center else None


def transitions(fixes: List[Fix], evaluator: Evaluator, groups: Set[str]) -> Iterator[Transition]:
    """Returns the transitions of one device, whose fixes are in order of time without duplicates."""
    fences = {fence.id: fence for fence in evaluator.fences}
    inside: Set[str] = set()
    deadlines: Dict[str, int] = {}
    overdue: Set[str] = set()
    before: Optional[Fix] = None

    def transition(type: str, id: str, time: int, by: Fix, cause: str = "moved") -> Transition:
        return Transition(by.device, id, type, time, cause, margin(fences[id], by))

    def due(moment: int) -> List[Tuple[int, str]]:
        """Removes and returns the deadlines at or before a time."""
        reached = sorted((deadline, id) for id, deadline in deadlines.items() if deadline <= moment)
        for _, id in reached:
            del deadlines[id]
        return reached

    for fix in fixes:
        for deadline, id in due(fix.time - 1):
            if before and deadline - before.time <= SILENCE:
                yield transition("dwell", id, deadline, before)
            else:
                overdue.add(id)
        now = evaluator.inside(fix, groups)
        for id in sorted(inside - now):
            deadlines.pop(id, None)
            yield transition("exit", id, fix.time, fix)
        for id in sorted(now - inside):
            if fences[id].dwell:
                deadlines[id] = fix.time + fences[id].dwell
            yield transition("enter", id, fix.time, fix, "moved" if before else "initial")
        for id in sorted({id for _, id in due(fix.time)} | (overdue & now)):
            yield transition("dwell", id, fix.time, fix)
        overdue.clear()
        inside, before = now, fix


def evaluated(fixes: List[Fix], evaluator: Evaluator, groups: Dict[str, Set[str]]) -> Tuple[List[Transition], int]:
    """Returns the transitions of a file, and the number of duplicate fixes."""
    lines: List[Transition] = []
    repeats = 0
    for device in dict.fromkeys(fix.device for fix in fixes):
        own = sorted((fix for fix in fixes if fix.device == device), key=lambda fix: fix.time)
        once = list(dict.fromkeys(own))
        repeats += len(own) - len(once)
        lines += transitions(once, evaluator, groups.get(device, set()))
    return lines, repeats


# Reading


def read_fences(path: Path) -> List[Fence]:
    """Returns the active geofences, and prints the numbers of active and inactive ones to standard error."""
    fences, idle = [], 0
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
        properties, geometry = feature["properties"], feature["geometry"]
        if not properties.get("active", True):
            idle += 1
            continue
        center, radius, polygons = None, 0.0, []
        if geometry["type"] == "Point":
            center, radius = (geometry["coordinates"][1], geometry["coordinates"][0]), float(properties["radius"])
        elif geometry["type"] == "Polygon":
            polygons = [geometry["coordinates"]]
        elif geometry["type"] == "MultiPolygon":
            polygons = geometry["coordinates"]
        else:
            raise ValueError(f"{feature['id']}: {geometry['type']} is no fence")
        dwell = round(properties["dwell"] * 1000) if "dwell" in properties else None
        devices, groups = set(properties.get("devices", [])), set(properties.get("groups", []))
        fences.append(Fence(feature["id"], center, radius, polygons, dwell, devices, groups))
    circles = sum(1 for fence in fences if fence.center)
    counts = f"{circles} circles, {len(fences) - circles} polygons; {idle} inactive"
    print(f"{len(fences)} active geofences: {counts}", file=sys.stderr)
    return fences


def read_track(path: Path) -> List[Fix]:
    """Returns the fixes of a CSV or GPX file in the order of the file. Invalid data raises an exception."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return [
                Fix(row["device"], _milliseconds(row["timestamp"]), float(row["latitude"]), float(row["longitude"]))
                for row in csv.DictReader(file)]
    points = [element for element in ElementTree.parse(path).iter() if _local(element) == "trkpt"]
    return [
        Fix(path.stem, _milliseconds(_child(point, "time")), float(point.attrib["lat"]), float(point.attrib["lon"]))
        for point in points]


def _local(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _child(point: ElementTree.Element, name: str) -> str:
    return next(child.text or "" for child in point if _local(child) == name)


def _milliseconds(time: str) -> int:
    return round((datetime.fromisoformat(time.replace("Z", "+00:00")) - EPOCH) / timedelta(milliseconds=1))


def _time(milliseconds: int) -> str:
    moment = EPOCH + timedelta(milliseconds=milliseconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + f".{milliseconds % 1000:03}Z"


# The run


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with data/expected, write nothing")
    check = parser.parse_args().check
    evaluator = Evaluator(read_fences(DATA / "geofences.geojson"))
    table = json.loads((DATA / "devices.json").read_text(encoding="utf-8"))
    groups = {device["id"]: set(device["groups"]) for device in table}
    texts = {}
    _row("track", "devices", "fixes", "repeats", "enter", "initial", "exit", "dwell")
    for path in sorted((DATA / "tracks").iterdir()):
        fixes = read_track(path)
        lines, repeats = evaluated(fixes, evaluator, groups)
        texts[path.stem + ".jsonl"] = "".join(line.line() + "\n" for line in lines)
        _report(path.stem, fixes, repeats, lines)
    print(f"closest call: {evaluator.closest_circle:.3f} m from a circle, {evaluator.closest_edge:.3f} m from an edge", file=sys.stderr)
    if evaluator.closest_circle < LEAST_CIRCLE_MARGIN or evaluator.closest_edge < LEAST_EDGE_MARGIN:
        print("a fix lies too close to a boundary to be sure of", file=sys.stderr)
        return 1
    return _compare(texts) if check else _write(texts)


def _report(name: str, fixes: List[Fix], repeats: int, lines: List[Transition]) -> None:
    def count(type: str) -> int:
        return sum(1 for line in lines if line.type == type)

    devices, initial = len({fix.device for fix in fixes}), sum(1 for line in lines if line.cause == "initial")
    _row(name, devices, len(fixes), repeats, count("enter"), initial, count("exit"), count("dwell"))


def _row(name: object, *counts: object) -> None:
    print(f"{name:22}" + "".join(f"{count:>8}" for count in counts), file=sys.stderr)


def _write(texts: Dict[str, str]) -> int:
    folder = DATA / "expected"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        if old.name not in texts:
            old.unlink()
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8"))
    return 0


def _compare(texts: Dict[str, str]) -> int:
    kept = {file.name: file.read_text(encoding="utf-8") for file in (DATA / "expected").glob("*")}
    differing = sorted(name for name in texts.keys() | kept.keys() if texts.get(name) != kept.get(name))
    for name in differing:
        print(f"expected/{name}: differs", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
