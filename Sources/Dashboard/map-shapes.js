// The outlines of geofences for drawing on a map. Pure: no access to the map or the page.

import { circleRing } from './geodesy.js';

/** The maximum latitude of a Mercator map in degrees. */
export const mapLimit = 85.0511287798;
/** The maximum length of an edge in degrees. Longer edges are divided, because an edge that is straight in degrees is curved on the map. */
const longestEdge = 2;

/** The Mercator coordinates of a position: x to the east and y to the south, each from 0 to 1. @returns {[number, number]} */
export function mercator(latitude, longitude) {
  const bounded = Math.max(-mapLimit, Math.min(mapLimit, latitude));
  const sine = Math.sin((bounded * Math.PI) / 180);
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)];
}

/** The position of a point on the Mercator map. @returns {[number, number]} Latitude and longitude. */
export const fromMercator = (x, y) => [(Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) * 180) / Math.PI, (x - 0.5) * 360];

/**
 * The outlines of a geofence as polygons: each is a list of rings, first the outer one and then the holes, and each ring is a list of
 * latitudes and longitudes, as Leaflet's `polygon` expects them. Longitudes have no jumps at the antimeridian, and may therefore exceed
 * 180. A circle is computed on the ellipsoid.
 *
 * @param {{latitude?: number, longitude?: number, radius?: number, geometry?: {type: string, coordinates: any}}} geofence
 * @returns {[number, number][][][]}
 */
export function outlinesOf({ latitude, longitude, radius, geometry }) {
  if (!geometry) return [[aroundPole(circleRing(latitude, longitude, radius, radius > 20_000 ? 128 : 64), latitude)]];
  const polygons = geometry.type === 'MultiPolygon' ? geometry.coordinates : [geometry.coordinates];
  return polygons.map((rings) => {
    const outer = outlineOf(rings[0]);
    return [outer, ...rings.slice(1).map((ring) => beside(outlineOf(ring), outer))];
  });
}

/** The bounding box of a geofence: west, south, east, north. East may exceed 180. @returns {[number, number, number, number]} */
export function boxOf(geofence) {
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [outer] of outlinesOf(geofence)) {
    for (const [latitude, longitude] of outer) {
      box[0] = Math.min(box[0], longitude);
      box[1] = Math.min(box[1], latitude);
      box[2] = Math.max(box[2], longitude);
      box[3] = Math.max(box[3], latitude);
    }
  }
  return box;
}

/** A GeoJSON ring, which has the longitude first and repeats the first position at its end. */
function outlineOf(ring) {
  const places = [];
  for (const [longitude, latitude] of ring) {
    const before = places.at(-1);
    if (!before) {
      places.push([latitude, longitude]);
      continue;
    }
    const next = longitude + 360 * Math.round((before[1] - longitude) / 360);
    const parts = Math.ceil(Math.max(Math.abs(next - before[1]), Math.abs(latitude - before[0])) / longestEdge);
    for (let part = 1; part < parts; part += 1) {
      places.push([before[0] + ((latitude - before[0]) * part) / parts, before[1] + ((next - before[1]) * part) / parts]);
    }
    places.push([latitude, next]);
  }
  const isClosed = places.length > 1 && places[0][0] === places.at(-1)[0] && places[0][1] === places.at(-1)[1];
  const mean = places.reduce((sum, [latitude]) => sum + latitude, 0) / places.length;
  return isClosed ? places.slice(0, -1) : aroundPole(places, mean);
}

/** A hole on the same side of the antimeridian as the ring around it. */
function beside(hole, outer) {
  const shift = 360 * Math.round((outer[0][1] - hole[0][1]) / 360);
  return shift ? hole.map(([latitude, longitude]) => [latitude, longitude + shift]) : hole;
}

/** A ring without jumps. A ring around a pole is closed along the edge of the map. */
function aroundPole(ring, latitude) {
  const places = [ring[0]];
  for (const [lat, lon] of ring.slice(1)) places.push([lat, lon + 360 * Math.round((places.at(-1)[1] - lon) / 360)]);
  const last = places.at(-1)[1];
  const back = ring[0][1] + 360 * Math.round((last - ring[0][1]) / 360);
  if (back === ring[0][1]) return places;
  const pole = latitude > 0 ? 90 : -90;
  return [...places, [ring[0][0], back], [pole, back], [pole, ring[0][1]]];
}
