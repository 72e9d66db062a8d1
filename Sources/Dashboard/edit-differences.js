// The differences between two versions of a geofence, from which a person can choose. Pure: the distance function is a parameter.

import { shapeOf } from './edit-draft.js';
import { middleOf } from './edit-outline.js';

/**
 * @typedef {object} Difference
 * @property {'name'|'moved'|'radius'|'shape'|'corners'|'outline'|'isActive'|'priority'|'dwell'|'rest'} kind
 * @property {any} [before]
 * @property {any} [after]
 * @property {number} [meters] Only for `moved`.
 */

/** Movements of less than this number of meters are not mentioned. */
const smallestMove = 0.05;
const plain = ['name', 'isActive', 'priority', 'dwell'];
const own = new Set([...plain, 'id', 'latitude', 'longitude', 'radius', 'geometry', 'notes', 'asWritten']);
const usual = { isActive: true, priority: 0, dwell: null };

/**
 * @param {object} before A geofence in the form of the service.
 * @param {object} after
 * @param {(a: import('./edit-outline.js').Place, b: import('./edit-outline.js').Place) => number} distance Meters on the ground.
 * @returns {Difference[]} Returns the distance on the ground in meters.
 */
export function differencesOf(before, after, distance) {
  const found = [];
  for (const field of plain) {
    const [a, b] = [before[field] ?? usual[field], after[field] ?? usual[field]];
    if (a !== b) found.push({ kind: field, before: a, after: b });
  }
  found.splice(found[0]?.kind === 'name' ? 1 : 0, 0, ...shapeDifferences(shapeOf(before), shapeOf(after), distance));
  const others = (geofence) => JSON.stringify(Object.entries(geofence).filter(([field]) => !own.has(field)).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (others(before) !== others(after)) found.push({ kind: 'rest' });
  return found;
}

function shapeDifferences(a, b, distance) {
  if (a.kind !== b.kind) return [{ kind: 'shape', before: a.kind, after: b.kind }];
  const found = [];
  const move = (from, to) => {
    const meters = distance(from, to);
    if (meters >= smallestMove) found.push({ kind: 'moved', meters });
  };
  if (a.kind === 'circle') {
    move(a, b);
    if (a.radius !== b.radius) found.push({ kind: 'radius', before: a.radius, after: b.radius });
    return found;
  }
  if (JSON.stringify(a.parts) === JSON.stringify(b.parts)) return [];
  move(middleOf(a.parts), middleOf(b.parts));
  const corners = ({ parts }) => parts.flat(2).length;
  if (corners(a) !== corners(b)) found.push({ kind: 'corners', before: corners(a), after: corners(b) });
  return found.length ? found : [{ kind: 'outline' }];
}
