#!/usr/bin/env python3
"""Writes Sources/Dashboard/world.json: the coastlines and country borders for the map without tiles.

    pip install shapely
    apt-get download qgis-common && dpkg -x qgis-common_*.deb qgis
    tools/world-outline/generate.py qgis/usr/share/qgis/resources/data/world_map.gpkg

Source: the countries of Natural Earth at 1:10m (public domain), as distributed with QGIS, simplified to TOLERANCE degrees. Islands and
lakes smaller than SMALLEST square degrees are omitted.

The format of the file is {"land": [ring, …], "borders": [line, …]}. A ring or line is a string of numbers: the longitude and latitude
of each point in hundredths of a degree, each as the difference from the previous point. A number n is stored as 2n, or as -2n-1 if n is
negative, with five bits per character, the lowest bits first, in the alphabet of base64url. Each character except the last one of a number
has 32 added to its value.
"""
import json
import pathlib
import sqlite3
import string
import sys

import shapely
from shapely import wkb
from shapely.ops import linemerge, unary_union

TOLERANCE = 0.22
SMALLEST = 0.04
SCALE = 100
ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
TARGET = pathlib.Path(__file__).parents[2] / "Sources/Dashboard/world.json"


def geometry(blob):
    # A GeoPackage binary (OGC 12-128r18, section 2.1.3) is a header with an envelope, followed by WKB.
    envelope = {0: 0, 1: 32, 2: 48, 3: 48, 4: 64}[(blob[3] >> 1) & 7]
    return wkb.loads(blob[8 + envelope:]).buffer(0)


def number(value):
    value = value * 2 if value >= 0 else -2 * value - 1
    text = ""
    while value >= 32:
        text += ALPHABET[32 + value % 32]
        value //= 32
    return text + ALPHABET[value]


def encoded(places):
    """Encodes a line as a string; empty if all of its points are equal after rounding."""
    text, before, count = "", (0, 0), 0
    for place in places:
        now = tuple(round(part * SCALE) for part in place)
        if count and now == before:
            continue
        text += "".join(number(a - b) for a, b in zip(now, before))
        before = now
        count += 1
    return text if count > 1 else ""


def parts(shape):
    return list(shape.geoms) if hasattr(shape, "geoms") else [shape]


def main(path):
    rows = sqlite3.connect(path).execute("SELECT geom FROM countries")
    countries = shapely.coverage_simplify([geometry(blob) for (blob,) in rows], TOLERANCE)
    land = unary_union([country.buffer(0) for country in countries])
    rings = [ring for part in parts(land) for ring in (part.exterior, *part.interiors)]
    rings = [ring for ring in rings if shapely.Polygon(ring).area >= SMALLEST]
    coast = land.boundary.buffer(TOLERANCE / 20)
    borders = linemerge(unary_union([country.boundary for country in countries]).difference(coast))
    lines = [line for line in parts(borders) if line.length > 0.2]
    world = {
        "land": [text for text in (encoded(ring.coords[:-1]) for ring in rings) if text],
        "borders": [text for text in (encoded(line.coords) for line in lines) if text],
    }
    TARGET.write_text(json.dumps(world, separators=(",", ":")) + "\n")
    print(f"{len(rings)} rings, {len(lines)} lines, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(sys.argv[1])
