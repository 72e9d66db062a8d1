// Reads, writes and changes the corners of polygons. Pure. Only the service determines the area of an outline and whether it crosses
// itself.

/**
 * @typedef {{latitude: number, longitude: number}} Place Degrees. In outlines, longitudes may exceed ±180.
 * @typedef {Place[]} Ring The corners in order. The last one is connected to the first.
 * @typedef {Ring[]} Part An outline followed by its holes.
 * @typedef {{part: number, ring: number, corner: number}} CornerPlace The indexes of a corner, its ring and its part.
 */

/** The minimum number of corners of a polygon. */
export const fewestCorners = 3;

/**
 * The parts of a GeoJSON polygon or multipolygon (RFC 7946).
 *
 * @param {{type: string, coordinates: any[]}} geometry
 * @returns {Part[]}
 */
export function partsOf(geometry) {
  const parts = geometry.type === 'MultiPolygon' ? geometry.coordinates : [geometry.coordinates];
  return parts.map((rings) => rings.map((positions) => {
    const ring = positions.map(([longitude, latitude]) => ({ latitude, longitude }));
    return ring.length > 1 && isSame(ring[0], ring.at(-1)) ? ring.slice(0, -1) : ring;
  }));
}

/** The parts as GeoJSON. @param {Part[]} parts */
export function geometryOf(parts) {
  const coordinates = parts.map((rings) => rings.map((ring) => [...ring, ring[0]].map(({ latitude, longitude }) => [longitude, latitude])));
  return parts.length === 1 ? { type: 'Polygon', coordinates: coordinates[0] } : { type: 'MultiPolygon', coordinates };
}

const isSame = (a, b) => a.latitude === b.latitude && a.longitude === b.longitude;

/** A longitude in the range from -180 to 180. @param {number} longitude */
export const wrapped = (longitude) => (longitude >= -180 && longitude <= 180 ? longitude : ((longitude + 180) % 360 + 360) % 360 - 180);

/** The multiple of 360 degrees that brings a longitude closest to another one. @param {number} longitude @param {number} other */
export const turnsTowards = (longitude, other) => 360 * Math.round((other - longitude) / 360);

/**
 * Parts moved by multiples of 360 degrees, so that the westernmost corner of the first one is between -180 and 180. Shapes across the
 * antimeridian exceed 180.
 *
 * @param {Part[]} parts
 */
export function canonical(parts) {
  const west = Math.min(...parts[0][0].map((corner) => corner.longitude));
  const turn = -360 * Math.floor((west + 180) / 360);
  return turn === 0 ? parts : turned(parts, turn);
}

/** Parts moved to the east. @param {Part[]} parts @param {number} degrees */
export const turned = (parts, degrees) => withCorners(parts, ({ latitude, longitude }) => ({ latitude, longitude: longitude + degrees }));

/** Parts with each corner changed. @param {Part[]} parts @param {(corner: Place) => Place} change */
export const withCorners = (parts, change) => parts.map((rings) => rings.map((ring) => ring.map((corner) => change(corner))));

/** The center of the box around the first outline. @param {Part[]} parts @returns {Place} */
export function middleOf(parts) {
  const latitudes = parts[0][0].map((corner) => corner.latitude);
  const longitudes = parts[0][0].map((corner) => corner.longitude);
  const middle = (values) => (Math.min(...values) + Math.max(...values)) / 2;
  return { latitude: middle(latitudes), longitude: middle(longitudes) };
}

// MARK: Changes

const replaced = (list, index, item) => list.map((old, place) => (place === index ? item : old));

const withRing = (parts, { part, ring }, changed) => replaced(parts, part, replaced(parts[part], ring, changed));

/** @param {Part[]} parts @param {CornerPlace} at @param {Place} place */
export const withCornerMoved = (parts, at, place) => withRing(parts, at, replaced(parts[at.part][at.ring], at.corner, place));

/** Inserts a corner before the given one. @param {Part[]} parts @param {CornerPlace} at @param {Place} place */
export const withCornerAdded = (parts, at, place) => withRing(parts, at, parts[at.part][at.ring].toSpliced(at.corner, 0, place));

/**
 * Removes a corner. A hole with too few remaining corners is removed; an outline is not changed.
 *
 * @param {Part[]} parts
 * @param {CornerPlace} at
 */
export function withCornerRemoved(parts, at) {
  const ring = parts[at.part][at.ring];
  if (ring.length > fewestCorners) return withRing(parts, at, ring.toSpliced(at.corner, 1));
  return at.ring === 0 ? parts : replaced(parts, at.part, parts[at.part].toSpliced(at.ring, 1));
}

/** Whether a corner can be removed. @param {Part[]} parts @param {CornerPlace} at */
export const canRemove = (parts, at) => at.ring > 0 || parts[at.part][at.ring].length > fewestCorners;

/**
 * The middle of the edge that ends at a corner. Edges are straight in longitude and latitude (RFC 7946, 3.1.1).
 *
 * @param {Ring} ring
 * @param {number} corner
 */
export function middleOfEdge(ring, corner) {
  const [a, b] = [ring.at(corner - 1), ring[corner]];
  return { latitude: (a.latitude + b.latitude) / 2, longitude: (a.longitude + b.longitude) / 2 };
}

// MARK: Text

/** A ring as text with one corner per line. @param {Ring} ring */
export const textOf = (ring) => ring.map(({ latitude, longitude }) => `${latitude}, ${longitude}`).join('\n');

/**
 * Reads a ring from text with one latitude and longitude per line.
 *
 * @param {string} text
 * @returns {{ring: Ring}|{line: number, reason: 'pair'|'latitude'|'longitude'}} The first invalid line; line numbers start with 1.
 */
export function ringOf(text) {
  const ring = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.trim()) continue;
    const numbers = pairOf(line);
    if (!numbers) return { line: index + 1, reason: 'pair' };
    const [latitude, longitude] = numbers;
    if (Math.abs(latitude) > 90) return { line: index + 1, reason: 'latitude' };
    if (Math.abs(longitude) > 360) return { line: index + 1, reason: 'longitude' };
    ring.push({ latitude, longitude });
  }
  return { ring: ring.length > 1 && isSame(ring[0], ring.at(-1)) ? ring.slice(0, -1) : ring };
}

/**
 * Reads two numbers from a line, for example `52.5163, 13.3777` or `52.5163 13.3777`, or with decimal commas `52,5163 13,3777`.
 *
 * @param {string} text
 * @returns {[number, number]|null}
 */
export function pairOf(text) {
  const separator = /[;\s]/.test(text.trim()) && !text.includes('.') ? /[;\s]+|,\s+/ : /[,;\s]+/;
  const words = text.trim().split(separator).filter(Boolean);
  const numbers = words.map(numberOf);
  return numbers.length === 2 && numbers.every((number) => number !== null) ? numbers : null;
}

/** Reads a number with a decimal point or comma; null for other text. @param {string} text */
export function numberOf(text) {
  const plain = text.trim().replace('\u2212', '-').replace(',', '.');
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}
