#!/usr/bin/env python3
"""Generates the sample data: geofences in Berlin, tracks through them, and the devices that recorded the tracks.

    tools/sample-data/generate.py            writes data/geofences.geojson, data/devices.json and data/tracks/
    tools/sample-data/generate.py --check    compares these files with the generated ones; exit status 1 if they differ

Needs only Python 3.9 or newer. Every run generates the same bytes.
"""

import argparse
import filecmp
import json
import random
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Dict, List, Tuple

import journeys
import motion
import places
from fences import Boundaries, feature_collection
from motion import Fix

SEED = "picket-berlin-1"
DATA = Path(__file__).resolve().parents[2] / "data"
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
GAP = 90_000  # milliseconds without a fix after which a new GPX segment starts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with data/, write nothing there")
    if not parser.parse_args().check:
        write_all(DATA)
        return 0
    with tempfile.TemporaryDirectory() as fresh:
        write_all(Path(fresh))
        differing = differences(Path(fresh), DATA)
    for line in differing:
        print(line, file=sys.stderr)
    return 1 if differing else 0


def write_all(folder: Path) -> None:
    """Writes all generated files below `folder`, and removes tracks that are no longer generated."""
    tracks = journeys.tracks(SEED)
    (folder / "tracks").mkdir(parents=True, exist_ok=True)
    for old in (folder / "tracks").iterdir():
        if old.name not in {track.file for track in tracks}:
            old.unlink()
    _write(folder / "geofences.geojson", feature_collection())
    devices = [json.dumps(device, ensure_ascii=False, separators=(",", ":")) for device in journeys.devices()]
    _write(folder / "devices.json", "[\n" + ",\n".join(devices) + "\n]\n")
    boundaries = Boundaries()
    for track in tracks:
        fixes = [_clear(fix, boundaries) for fix in _record(track)]
        if track.name == "messy-uploads":
            fixes = _mess_up(fixes, random.Random(f"{SEED}/{track.file}/uploads"))
        _write(folder / "tracks" / track.file, _text(track, fixes))
        print(f"{track.file:28} {len({fix.device for fix in fixes}):2} devices {len(fixes):5} fixes", file=sys.stderr)


def differences(fresh: Path, kept: Path) -> List[str]:
    """Returns a line for each file that differs between the two folders."""
    names = ["geofences.geojson", "devices.json"]
    names += sorted({f"tracks/{file.name}" for folder in (fresh, kept) for file in (folder / "tracks").glob("*")})
    lines = []
    for name in names:
        if not (kept / name).exists():
            lines.append(f"{name}: missing")
        elif not (fresh / name).exists():
            lines.append(f"{name}: not made by the generator")
        elif not filecmp.cmp(fresh / name, kept / name, shallow=False):
            lines.append(f"{name}: differs")
    return lines


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


# Recording


def _record(track: journeys.Track) -> List[Fix]:
    """Returns the fixes of all devices of a track in order of time."""
    fixes: List[Fix] = []
    for trip in track.trips:
        rng = random.Random(f"{SEED}/{track.file}/{trip.device}")
        fixes += motion.record(trip, _milliseconds(trip.start), _locate, rng)
    return sorted(fixes, key=lambda fix: fix.milliseconds)


_POSITIONS: Dict[str, Tuple[float, float]] = {place.id: (place.latitude, place.longitude) for place in places.circles()}


def _locate(waypoint: str) -> Tuple[float, float]:
    """Returns latitude and longitude of a waypoint, which is the id of a place or `latitude,longitude`."""
    if waypoint in _POSITIONS:
        return _POSITIONS[waypoint]
    latitude, longitude = waypoint.split(",")
    return float(latitude), float(longitude)


def _clear(fix: Fix, boundaries: Boundaries) -> Fix:
    latitude, longitude = boundaries.clear(fix.latitude, fix.longitude)
    return fix._replace(latitude=latitude, longitude=longitude)


def _mess_up(fixes: List[Fix], rng: random.Random) -> List[Fix]:
    """Returns the fixes as phones that upload in pieces send them: with swapped pieces and rows, and a repeated piece and repeated rows."""
    pieces = [fixes[at : at + 40] for at in range(0, len(fixes), 40)]
    for at in range(2, len(pieces) - 1, 5):
        pieces[at], pieces[at + 1] = pieces[at + 1], pieces[at]
    pieces.append(pieces.pop(7))  # one piece arrives last of all
    pieces.insert(12, pieces[10])  # one piece is sent twice
    rows: List[Fix] = []
    for row in (row for piece in pieces for row in piece):
        rows.append(row)
        draw = rng.random()
        if draw < 0.01:
            rows.append(row)
        elif draw < 0.03 and len(rows) > 1:
            rows[-1], rows[-2] = rows[-2], rows[-1]
    return rows


# Writing


def _milliseconds(time: str) -> int:
    return round((datetime.fromisoformat(time.replace("Z", "+00:00")) - EPOCH) / timedelta(milliseconds=1))


def _time(milliseconds: int) -> str:
    text = (EPOCH + timedelta(milliseconds=milliseconds)).strftime("%Y-%m-%dT%H:%M:%S")
    rest = milliseconds % 1000
    return f"{text}.{rest:03}Z" if rest else f"{text}Z"


def _text(track: journeys.Track, fixes: List[Fix]) -> str:
    if track.file.endswith(".csv"):
        return _csv(fixes)
    return _gpx10(track, fixes) if track.name == "oberbaum-walk" else _gpx11(track, fixes)


def _csv(fixes: List[Fix]) -> str:
    lines = ["device,timestamp,latitude,longitude,accuracy,speed,course,battery"]
    for fix in fixes:
        course = "" if fix.course is None else fix.course
        battery = "" if fix.battery is None else fix.battery
        place = f"{fix.latitude:.6f},{fix.longitude:.6f}"
        lines.append(f"{fix.device},{_time(fix.milliseconds)},{place},{fix.accuracy},{fix.speed:.1f},{course},{battery}")
    return "\n".join(lines) + "\n"


def _segments(fixes: List[Fix]) -> List[List[Fix]]:
    segments = [[fixes[0]]]
    for before, fix in zip(fixes, fixes[1:]):
        if fix.milliseconds - before.milliseconds > GAP:
            segments.append([])
        segments[-1].append(fix)
    return segments


def _gpx11(track: journeys.Track, fixes: List[Fix]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.1" creator="Picket sample data" xmlns="http://www.topografix.com/GPX/1/1">',
        f"<metadata><name>{track.name}</name><desc>{track.story}</desc><time>{_time(fixes[0].milliseconds)}</time></metadata>",
        f"<trk><name>{track.name}</name>",
    ]
    for segment in _segments(fixes):
        lines += ["<trkseg>", *(_point(fix, f"<hdop>{_hdop(fix)}</hdop>") for fix in segment), "</trkseg>"]
    return "\n".join([*lines, "</trk>", "</gpx>"]) + "\n"


def _gpx10(track: journeys.Track, fixes: List[Fix]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gpx version="1.0" creator="Picket sample data" xmlns="http://www.topografix.com/GPX/1/0">',
        f"<name>{track.name}</name>",
        f"<desc>{track.story}</desc>",
        f"<trk><name>{track.name}</name>",
    ]
    for segment in _segments(fixes):
        lines.append("<trkseg>")
        for fix in segment:
            course = "" if fix.course is None else f"<course>{fix.course}</course>"
            lines.append(_point(fix, f"{course}<speed>{fix.speed:.1f}</speed><hdop>{_hdop(fix)}</hdop>"))
        lines.append("</trkseg>")
    return "\n".join([*lines, "</trk>", "</gpx>"]) + "\n"


def _point(fix: Fix, more: str) -> str:
    return f'<trkpt lat="{fix.latitude:.6f}" lon="{fix.longitude:.6f}"><time>{_time(fix.milliseconds)}</time>{more}</trkpt>'


def _hdop(fix: Fix) -> str:
    return f"{fix.accuracy / 5:.1f}"


if __name__ == "__main__":
    sys.exit(main())
