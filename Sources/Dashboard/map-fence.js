// A geofence prepared for drawing: its box and its outlines on the Mercator map, computed on first use. Pure.

import { destination, inverse } from './geodesy.js';
import { boxOf, fromMercator, mercator, outlinesOf } from './map-shapes.js';

/** The maximum error of an outline in pixels, which determines the length of its segments. */
const tolerance = 0.25;
const mostParts = 256;

/**
 * @typedef {object} Ring
 * @property {Float64Array} places Mercator coordinates, not closed.
 * @property {number} step Degrees of azimuth between two points of a circle; 0 for other outlines.
 */

export class LoadedGeofence {
  /** @param {object} value The geofence in the form of the service. */
  constructor(value) {
    this.value = value;
    const [west, south, east, north] = value.geometry ? boxOf(value) : circleBox(value);
    const [x0, y0] = mercator(north, west);
    const [x1, y1] = mercator(south, east);
    /** West, north, east, south on the Mercator map. @type {[number, number, number, number]} */
    this.box = [x0, y0, x1, y1];
  }

  /** The outlines in degrees, as Leaflet's `polygon` expects them. */
  get outlines() { return outlinesOf(this.value); }

  /**
   * The outlines on the Mercator map. All outer rings have one direction and all holes the other, as the nonzero fill rule requires.
   *
   * @returns {Ring[]}
   */
  get rings() {
    const isCircle = !this.value.geometry;
    this.loadedRings ??= this.outlines.flatMap((polygon) => polygon.map((ring, index) => {
      const places = new Float64Array(ring.length * 2);
      ring.forEach(([latitude, longitude], place) => places.set(mercator(latitude, longitude), 2 * place));
      // The outline of a circle around a pole has additional points.
      const isWhole = isCircle && (ring.length === 64 || ring.length === 128);
      return { places: isTurned(places, index > 0) ? reversed(places) : places, step: isWhole ? 360 / ring.length : 0 };
    }));
    return this.loadedRings;
  }

  /** The larger side of the box in pixels, if the world has a width of `scale` pixels. */
  sizeAt(scale) { return Math.max(this.box[2] - this.box[0], this.box[3] - this.box[1]) * scale; }

  /** Whether the geofence covers a point on the Mercator map. */
  covers(x, y) {
    const [x0, y0, x1, y1] = this.box;
    const inWorld = x + Math.ceil(x0 - x);
    if (inWorld > x1 || y < y0 || y > y1) return false;
    const { geometry, latitude, longitude, radius } = this.value;
    if (!geometry) return inverse(latitude, longitude, ...fromMercator(x, y)).distance <= radius;
    return this.rings.reduce((isInside, { places }) => isInside !== crosses(places, inWorld, y), false);
  }
}

/** The bounding box of a circle. The difference between the sphere and the ellipsoid is less than one percent. */
function circleBox({ latitude, longitude, radius }) {
  const height = (radius / 110_574) * 1.005;
  if (Math.abs(latitude) + height >= 90) {
    return [longitude - 180, latitude > 0 ? latitude - height : -90, longitude + 180, latitude > 0 ? 90 : latitude + height];
  }
  const sine = Math.min(1, Math.sin((height * Math.PI) / 180) / Math.cos((latitude * Math.PI) / 180));
  const width = (Math.asin(sine) * 180) / Math.PI;
  return [longitude - width, latitude - height, longitude + width, latitude + height];
}

function isTurned(places, isHole) {
  let area = 0;
  for (let index = 0, before = places.length - 2; index < places.length; before = index, index += 2) {
    area += places[before] * places[index + 1] - places[index] * places[before + 1];
  }
  return area < 0 !== isHole;
}

function reversed(places) {
  const result = new Float64Array(places.length);
  for (let index = 0; index < places.length; index += 2) {
    result[index] = places[places.length - 2 - index];
    result[index + 1] = places[places.length - 1 - index];
  }
  return result;
}

function crosses(places, x, y) {
  let isInside = false;
  for (let index = 0, before = places.length - 2; index < places.length; before = index, index += 2) {
    const [ax, ay, bx, by] = [places[index], places[index + 1], places[before], places[before + 1]];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside;
}

/**
 * Adds the outlines of a geofence to a path. Small circles are drawn with few points, and visible edges with as many points as necessary
 * for the maximum error.
 *
 * @param {CanvasRenderingContext2D} path
 * @param {LoadedGeofence} fence
 * @param {import('./map-canvas-layer.js').CanvasView} view
 * @param {number} shift The number of copies of the world to the east.
 */
export function traceFence(path, fence, view, shift) {
  const { scale, top } = view;
  const dx = shift * scale - view.left;
  const size = fence.sizeAt(scale);
  for (const ring of fence.rings) {
    const { places } = ring;
    if (size > 300) {
      traceTrue(path, ring, fence.value, view, dx, size);
    } else {
      // If a circle is drawn with n points, the middle of an edge is radius × (1 - cos(π / n)) away from the outline.
      const enough = Math.max(8, Math.PI * Math.sqrt(size / 4 / tolerance));
      let stride = 2;
      if (ring.step) while (places.length / (2 * stride) >= enough) stride *= 2;
      path.moveTo(places[0] * scale + dx, places[1] * scale - top);
      for (let index = stride; index < places.length; index += stride) path.lineTo(places[index] * scale + dx, places[index + 1] * scale - top);
    }
    path.closePath();
  }
}

function traceTrue(path, { places, step }, value, { scale, top, width, height }, dx, size) {
  const count = places.length / 2;
  const arc = step ? (size / 2) * (1 - Math.cos((step * Math.PI) / 360)) : 0;
  path.moveTo(places[0] * scale + dx, places[1] * scale - top);
  for (let index = 0; index < count; index += 1) {
    const next = (index + 1) % count;
    const [ax, ay, bx, by] = [places[2 * index], places[2 * index + 1], places[2 * next], places[2 * next + 1]];
    const bend = step ? arc : bendOf(ay, by) * scale;
    const [left, right] = [Math.min(ax, bx) * scale + dx - bend, Math.max(ax, bx) * scale + dx + bend];
    const [above, below] = [Math.min(ay, by) * scale - top - bend, Math.max(ay, by) * scale - top + bend];
    if (bend > tolerance && right > 0 && left < width && below > 0 && above < height) {
      const parts = Math.min(mostParts, Math.ceil(Math.sqrt(bend / tolerance)));
      for (let part = 1; part < parts; part += 1) {
        const [x, y] = step ? onCircle(value, ax, ay, bx, by, part / parts) : onEdge(ax, ay, bx, by, part / parts);
        path.lineTo(x * scale + dx, y * scale - top);
      }
    }
    if (next) path.lineTo(bx * scale + dx, by * scale - top);
  }
}

/** The maximum distance on the map between the straight line of two points and their edge, which is straight in degrees. */
function bendOf(ay, by) {
  const [first, last] = [latitudeOf(ay), latitudeOf(by)];
  const middle = (first + last) / 2;
  return Math.abs(((last - first) ** 2 / 8) * (Math.tan(middle) / Math.cos(middle))) / (2 * Math.PI);
}

const latitudeOf = (y) => Math.atan(Math.sinh(Math.PI * (1 - 2 * y)));

function onEdge(ax, ay, bx, by, part) {
  const latitude = latitudeOf(ay) + (latitudeOf(by) - latitudeOf(ay)) * part;
  return [ax + (bx - ax) * part, 0.5 - Math.asinh(Math.tan(latitude)) / (2 * Math.PI)];
}

/** A point on a circle between two others. */
function onCircle({ latitude, longitude, radius }, ax, ay, bx, by, part) {
  const first = inverse(latitude, longitude, ...fromMercator(ax, ay)).azimuth;
  const last = inverse(latitude, longitude, ...fromMercator(bx, by)).azimuth;
  const turn = ((last - first + 540) % 360) - 180;
  const [lat, lon] = destination(latitude, longitude, first + turn * part, radius);
  const [x, y] = mercator(lat, lon);
  return [x + Math.round(ax - x), y];
}
