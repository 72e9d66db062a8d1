"""Converts the places to a GeoJSON FeatureCollection, and moves positions away from the places' boundaries."""

import json
import math
from typing import Dict, Iterator, List, Tuple

import places

# The WGS 84 ellipsoid; lengths in meters
SEMI_MAJOR = 6378137.0
ECCENTRICITY_SQUARED = 0.0066943799901413165

CIRCLE_CLEARANCE = 0.05  # meters; expected.py demands 0.01
EDGE_CLEARANCE = 0.75  # meters; expected.py demands 0.5


def meters_per_degree(latitude: float) -> Tuple[float, float]:
    """Returns the length in meters of a degree of latitude and of a degree of longitude (from the ellipsoid's radii of curvature)."""
    phi = math.radians(latitude)
    w = 1 - ECCENTRICITY_SQUARED * math.sin(phi) ** 2
    meridian = SEMI_MAJOR * (1 - ECCENTRICITY_SQUARED) / w**1.5
    normal = SEMI_MAJOR / math.sqrt(w)
    return math.radians(meridian), math.radians(normal * math.cos(phi))


def feature_collection() -> str:
    """Returns the text of geofences.geojson, with one feature per line."""
    lines = [json.dumps(feature, ensure_ascii=False, separators=(",", ":")) for feature in _features()]
    return '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"


def _features() -> Iterator[Dict[str, object]]:
    for place in places.circles():
        geometry = {"type": "Point", "coordinates": [place.longitude, place.latitude]}
        yield _feature(place.id, geometry, {"name": place.name, "radius": int(place.radius)}, place.kind)
    for id, (kind, name, polygons) in places.OUTLINES.items():
        closed = [[_positions(_wound(ring, hole=at > 0)) for at, ring in enumerate(rings)] for rings in polygons]
        if len(closed) == 1:
            geometry = {"type": "Polygon", "coordinates": closed[0]}
        else:
            geometry = {"type": "MultiPolygon", "coordinates": closed}
        yield _feature(id, geometry, {"name": name}, kind)


def _feature(id: str, geometry: Dict[str, object], own: Dict[str, object], kind: str) -> Dict[str, object]:
    properties = {**own, "active": True, **places.MEMBERS.get(id, {}), "kind": kind}
    return {"type": "Feature", "id": id, "geometry": geometry, "properties": properties}


def _wound(ring: places.Ring, hole: bool) -> places.Ring:
    """Returns the ring in the direction that RFC 7946 requires: outer rings counterclockwise, holes clockwise."""
    area = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]))
    return ring if (area > 0) != hole else ring[::-1]


def _positions(ring: places.Ring) -> List[List[float]]:
    return [list(position) for position in ring + ring[:1]]


class Boundaries:
    """The boundaries of all places. Close to a boundary two correct programs can differ, so positions are kept away from boundaries."""

    def __init__(self) -> None:
        self._circles = [(p.latitude, p.longitude, p.radius) for p in places.circles()]
        self._edges = [
            (start, end)
            for _, _, polygons in places.OUTLINES.values()
            for rings in polygons
            for ring in rings
            for start, end in zip(ring, ring[1:] + ring[:1])
        ]

    def clear(self, latitude: float, longitude: float) -> Tuple[float, float]:
        """Returns the first of several positions to the north or east, rounded to 6 decimals, that is not close to a boundary."""
        for step in range(50):
            for north, east in ((step, 0), (0, step)):  # at least one of these directions leads away from an edge
                near = round(latitude + north * 3e-6, 6), round(longitude + east * 3e-6, 6)
                if not self._is_close(*near):
                    return near
        raise ValueError(f"no clear position near {latitude}, {longitude}")

    def _is_close(self, latitude: float, longitude: float) -> bool:
        return any(self._circles_close(latitude, longitude)) or any(self._edges_close(latitude, longitude))

    def _circles_close(self, latitude: float, longitude: float) -> Iterator[bool]:
        for center_latitude, center_longitude, radius in self._circles:
            if abs(latitude - center_latitude) * 110_000 > radius + 10:
                continue
            north, east = meters_per_degree((latitude + center_latitude) / 2)
            distance = math.hypot((latitude - center_latitude) * north, (longitude - center_longitude) * east)
            yield abs(distance - radius) < CIRCLE_CLEARANCE

    def _edges_close(self, latitude: float, longitude: float) -> Iterator[bool]:
        north, east = meters_per_degree(latitude)
        slack = 2e-5
        for (x0, y0), (x1, y1) in self._edges:
            if not (min(y0, y1) - slack < latitude < max(y0, y1) + slack):
                continue
            if not (min(x0, x1) - slack < longitude < max(x0, x1) + slack):
                continue
            ax, ay = (x0 - longitude) * east, (y0 - latitude) * north
            dx, dy = (x1 - x0) * east, (y1 - y0) * north
            along = max(0.0, min(1.0, -(ax * dx + ay * dy) / (dx * dx + dy * dy)))
            yield math.hypot(ax + along * dx, ay + along * dy) < EDGE_CLEARANCE
