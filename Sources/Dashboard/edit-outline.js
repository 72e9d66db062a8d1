// The corners of polygons: read, written and changed. Pure. What an outline covers, and whether it crosses itself, is the service's to say.

/**
 * @typedef {{latitude: number, longitude: number}} Place Degrees. In outlines longitudes may go past ±180.
 * @typedef {Place[]} Ring Corners in order; the last one is joined to the first.
 * @typedef {Ring[]} Part An outline, and the holes in it.
 * @typedef {{part: number, ring: number, corner: number}} CornerPlace Which corner of which ring of which part, from 0.
 */

/** A polygon needs so many corners. */
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

/** The same as GeoJSON. @param {Part[]} parts */
export function geometryOf(parts) {
  const coordinates = parts.map((rings) => rings.map((ring) => [...ring, ring[0]].map(({ latitude, longitude }) => [longitude, latitude])));
  return parts.length === 1 ? { type: 'Polygon', coordinates: coordinates[0] } : { type: 'MultiPolygon', coordinates };
}

const isSame = (a, b) => a.latitude === b.latitude && a.longitude === b.longitude;

/** A longitude from -180 to 180. @param {number} longitude */
export const wrapped = (longitude) => (longitude >= -180 && longitude <= 180 ? longitude : ((longitude + 180) % 360 + 360) % 360 - 180);

/** Whole turns, in degrees, that bring a longitude closest to another. @param {number} longitude @param {number} other */
export const turnsTowards = (longitude, other) => 360 * Math.round((other - longitude) / 360);

/**
 * Parts moved by whole turns so that the westernmost corner of the first lies between -180 and 180. What crosses the antimeridian goes past 180.
 *
 * @param {Part[]} parts
 */
export function canonical(parts) {
  const west = Math.min(...parts[0][0].map((corner) => corner.longitude));
  const turn = -360 * Math.floor((west + 180) / 360);
  return turn === 0 ? parts : turned(parts, turn);
}

/** Parts moved along their parallels. @param {Part[]} parts @param {number} degrees */
export const turned = (parts, degrees) => withCorners(parts, ({ latitude, longitude }) => ({ latitude, longitude: longitude + degrees }));

/** Parts with each corner changed. @param {Part[]} parts @param {(corner: Place) => Place} change */
export const withCorners = (parts, change) => parts.map((rings) => rings.map((ring) => ring.map((corner) => change(corner))));

/** The middle of the box around the first outline. @param {Part[]} parts @returns {Place} */
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

/** A new corner before the one at a place. @param {Part[]} parts @param {CornerPlace} at @param {Place} place */
export const withCornerAdded = (parts, at, place) => withRing(parts, at, parts[at.part][at.ring].toSpliced(at.corner, 0, place));

/**
 * Without a corner. A hole that has too few left is closed; an outline is not changed.
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

/** A ring as text, a corner a line. @param {Ring} ring */
export const textOf = (ring) => ring.map(({ latitude, longitude }) => `${latitude}, ${longitude}`).join('\n');

/**
 * Reads a ring of its text: a latitude and a longitude a line.
 *
 * @param {string} text
 * @returns {{ring: Ring}|{line: number, reason: 'pair'|'latitude'|'longitude'}} The first wrong line counts from 1.
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
 * Two numbers of a line, as `52.5163, 13.3777` or `52.5163 13.3777`; with decimal commas `52,5163 13,3777`.
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

/** A number as a person types it, with a point or a comma; null for anything else. @param {string} text */
export function numberOf(text) {
  const plain = text.trim().replace('\u2212', '-').replace(',', '.');
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : null;
}
