#!/usr/bin/env python3
"""Writes Sources/Service/Alarms/EmergencyNumberOutlines.swift: the emergency numbers other than 112, with the outlines of their areas.

    pip install phonenumbers shapely
    apt-get download qgis-common && dpkg -x qgis-common_*.deb qgis
    tools/emergency-numbers/generate.py qgis/usr/share/qgis/resources/data/world_map.gpkg

Numbers: the short number metadata of libphonenumber (Apache 2.0), from the package phonenumbers. Of the numbers that match a country's
pattern for emergencies, 911 is used if it matches, otherwise 112, otherwise 999, otherwise the first three matches.
Outlines: the countries of Natural Earth at 1:10m (public domain), as distributed with QGIS, simplified to 0.05 degrees.
"""
import importlib
import pathlib
import re
import sqlite3
import sys

from phonenumbers.shortdata import _AVAILABLE_REGION_CODES
from shapely import wkb
from shapely.geometry.polygon import orient
from shapely.ops import unary_union

TOLERANCE = 0.05
TARGET = pathlib.Path(__file__).parents[2] / "Sources/Service/Alarms/EmergencyNumberOutlines.swift"


def numbers():
    found = {}
    for region in _AVAILABLE_REGION_CODES:
        module = importlib.import_module("phonenumbers.shortdata.region_" + region)
        emergency = getattr(module, "PHONE_METADATA_" + region).emergency
        if emergency is None or not emergency.national_number_pattern:
            continue
        all_numbers = [
            text
            for length in sorted(emergency.possible_length or (2, 3, 4, 5))
            for text in (str(number).zfill(length) for number in range(10**length))
            if re.fullmatch(emergency.national_number_pattern, text)
        ]
        best = next((number for number in ("911", "112", "999") if number in all_numbers), None)
        found[region] = best or ", ".join(all_numbers[:3])
    return found


def geometry(blob):
    # A GeoPackage binary (OGC 12-128r18, section 2.1.3) is a header with an envelope, followed by WKB.
    envelope = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}[(blob[3] >> 1) & 7]
    return wkb.loads(blob[8 + envelope:]).buffer(0)


def encoded(ring):
    """Encodes a ring in Google's encoded polyline format, with differences in hundredths of a degree, five bits per character."""
    text, before = "", (0, 0)
    for longitude, latitude in ring:
        place = (round(latitude * 100), round(longitude * 100))
        for now, then in zip(place, before):
            value = (now - then) << 1
            value = ~value if now < then else value
            while value >= 0x20:
                text += chr((0x20 | value & 0x1F) + 63)
                value >>= 5
            text += chr(value + 63)
        before = place
    return text


def main(path):
    known = numbers()
    shapes = {}
    for region, blob in sqlite3.connect(path).execute("SELECT iso_a2, geom FROM countries"):
        number = known.get(region)
        if number and number != "112":
            shapes.setdefault(number, []).append(geometry(blob))
    lines = []
    for number in sorted(shapes):
        shape = unary_union(shapes[number]).simplify(TOLERANCE)
        parts = list(shape.geoms) if shape.geom_type == "MultiPolygon" else [shape]
        rings = [ring.coords[:-1] for part in parts for ring in (part.exterior, *part.interiors)]
        lines.append(number + ": " + " ".join(encoded(ring) for ring in rings if len(ring) > 2))
    body = "\n".join("        " + line for line in lines)
    TARGET.write_text(
        "// swift-format-ignore-file\n"
        "// Made by tools/emergency-numbers/generate.py: numbers of libphonenumber, outlines of Natural Earth. Not to be edited.\n\n"
        "extension EmergencyNumbers {\n"
        "    /// One line for each set of numbers: the numbers, a colon, and the rings of the area where they apply. The area contains a\n"
        "    /// place that lies inside an odd number of the rings. Each ring is an encoded polyline in hundredths of a degree.\n"
        "    static let outlines = #\"\"\"\n"
        f"{body}\n"
        "        \"\"\"#\n"
        "}\n")
    print(f"{len(lines)} sets of numbers, {len(body)} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
