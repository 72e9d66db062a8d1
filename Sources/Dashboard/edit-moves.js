// Moves and resizes shapes on the ground: lengths and directions stay the same. Pure.

import { withCorners } from './edit-outline.js';
import { destination, inverse } from './geodesy.js';

/**
 * Shapes with corners farther than this number of meters from the dragged point are moved in degrees, because so large a shape cannot keep
 * its form.
 */
const farthest = 2_000_000;

/** @param {import('./edit-outline.js').Place} a @param {import('./edit-outline.js').Place} b @returns {number} Meters. */
export const distanceBetween = (a, b) => inverse(a.latitude, a.longitude, b.latitude, b.longitude).distance;

/** @param {import('./edit-outline.js').Place} a @param {import('./edit-outline.js').Place} b @returns {number} Degrees clockwise from north. */
export const azimuthBetween = (a, b) => inverse(a.latitude, a.longitude, b.latitude, b.longitude).azimuth;

/** @returns {import('./edit-outline.js').Place} */
export function placeAt({ latitude, longitude }, azimuth, meters) {
  const [north, east] = destination(latitude, longitude, azimuth, meters);
  return { latitude: north, longitude: east };
}

/**
 * The parts of a polygon after dragging one of its points.
 *
 * @param {import('./edit-outline.js').Part[]} parts
 * @param {import('./edit-outline.js').Place} from
 * @param {import('./edit-outline.js').Place} to
 */
export function movedParts(parts, from, to) {
  const ways = withCorners(parts, (corner) => inverse(from.latitude, from.longitude, corner.latitude, corner.longitude));
  if (ways.flat(2).some(({ distance }) => distance > farthest)) {
    const latitudes = parts.flat(2).map((corner) => corner.latitude);
    const north = Math.max(-90 - Math.min(...latitudes), Math.min(90 - Math.max(...latitudes), to.latitude - from.latitude));
    const east = to.longitude - from.longitude;
    return withCorners(parts, ({ latitude, longitude }) => ({ latitude: latitude + north, longitude: longitude + east }));
  }
  return withCorners(ways, ({ azimuth, distance }) => placeAt(to, azimuth, distance));
}
