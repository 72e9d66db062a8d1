// A geofence that a person draws or edits, before it is saved. Pure. Texts are kept as they were typed. The shape is the last valid one
// that results from them.

import { canonical, fewestCorners, geometryOf, numberOf, partsOf, ringOf, textOf, withCorners, wrapped } from './edit-outline.js';

/**
 * @typedef {{kind: 'circle', latitude: number, longitude: number, radius: number}} CircleShape Degrees and meters.
 * @typedef {{kind: 'polygons', parts: import('./edit-outline.js').Part[]}} PolygonShape
 * @typedef {CircleShape|PolygonShape} DraftShape
 *
 * @typedef {object} Draft
 * @property {object|null} base The geofence as the service had it when editing began; null for a new one.
 * @property {string|null} tag The version of `base`.
 * @property {DraftShape|null} shape Null until a valid shape was drawn or typed.
 * @property {Typed} typed
 *
 * @typedef {object} Typed The contents of the fields. A circle has no rings, and a polygon has rings instead of the circle's fields.
 * @property {string} name
 * @property {string} [latitude]
 * @property {string} [longitude]
 * @property {string} [radius] Meters.
 * @property {string[][]} [rings] The texts of each part's rings.
 * @property {string} priority
 * @property {string} dwell Minutes.
 * @property {boolean} isActive
 */

/** The range of a circle's radius in meters, as in the service. */
export const radii = { least: 1, most: 1_000_000 };
/** Phones detect regions with a smaller radius in meters late or never. */
export const smallestForPhones = 100;
const longestName = 120;
const longestDwell = 366 * 1440;

// MARK: Creating and changing

/** A draft of a new geofence without a shape. @param {'circle'|'polygons'} kind @returns {Draft} */
export const newDraft = (kind) => ({
  base: null, tag: null, shape: null,
  typed: { name: '', priority: '', dwell: '', isActive: true, ...(kind === 'circle' ? { latitude: '', longitude: '', radius: '' } : { rings: [['']] }) },
});

/**
 * A draft for editing a geofence.
 *
 * @param {object} geofence The geofence in the form of the service.
 * @param {string} tag The version of the geofence.
 * @returns {Draft}
 */
export const draftOf = (geofence, tag) => ({ base: geofence, tag, shape: shapeOf(geofence), typed: textsOf(geofence) });

/** @returns {DraftShape} */
export const shapeOf = (geofence) => (geofence.geometry
  ? { kind: 'polygons', parts: partsOf(geofence.geometry) }
  : { kind: 'circle', latitude: geofence.latitude, longitude: geofence.longitude, radius: geofence.radius });

const textsOf = (geofence) => ({
  name: geofence.name, priority: textOfPriority(geofence.priority), dwell: textOfDwell(geofence.dwell), isActive: geofence.isActive ?? true,
  ...shapeTexts(shapeOf(geofence)),
});

const textOfPriority = (priority) => (priority ? String(priority) : '');
const textOfDwell = (dwell) => (dwell ? String(Number((dwell / 60).toFixed(4))) : '');

const shapeTexts = (shape) => (shape.kind === 'circle'
  ? { latitude: String(shape.latitude), longitude: String(shape.longitude), radius: String(shape.radius) }
  : { rings: shape.parts.map((rings) => rings.map(textOf)) });

/**
 * A copy of a draft with a shape that was drawn. Coordinates are rounded to centimeters, and the radius to tenths of a meter within the
 * service's limits.
 *
 * @param {Draft} draft
 * @param {DraftShape} drawn
 * @returns {Draft}
 */
export function withShape(draft, drawn) {
  const shape = rounded(drawn);
  return { ...draft, shape, typed: { ...draft.typed, ...shapeTexts(shape) } };
}

/** @param {DraftShape} shape @returns {DraftShape} */
export function rounded(shape) {
  const degrees = (value) => Number(value.toFixed(7));
  if (shape.kind === 'circle') {
    const radius = Math.min(radii.most, Math.max(radii.least, shape.radius));
    const [latitude, longitude] = [degrees(shape.latitude), degrees(wrapped(shape.longitude))];
    return { kind: 'circle', latitude, longitude, radius: Number(radius.toFixed(radius < 1000 ? 1 : 0)) };
  }
  const parts = withCorners(canonical(shape.parts), ({ latitude, longitude }) => ({ latitude: degrees(latitude), longitude: degrees(longitude) }));
  return { kind: 'polygons', parts };
}

/**
 * A copy of a draft with a changed text. The shape changes as soon as all texts are valid.
 *
 * @param {Draft} draft
 * @param {Partial<Typed>} typed
 * @returns {Draft}
 */
export function withTyped(draft, typed) {
  const changed = { ...draft, typed: { ...draft.typed, ...typed } };
  return { ...changed, shape: shapeTyped(changed.typed) ?? draft.shape };
}

/** @returns {DraftShape|null} */
function shapeTyped(typed) {
  if (shapeFlaws(typed).length) return null;
  if (!typed.rings) return { kind: 'circle', latitude: numberOf(typed.latitude), longitude: numberOf(typed.longitude), radius: numberOf(typed.radius) };
  // A hole without corners is removed.
  const parts = typed.rings.map((texts) => texts.map((text) => ringOf(text).ring).filter((ring, index) => index === 0 || ring.length));
  return { kind: 'polygons', parts };
}

// MARK: Validation

/**
 * @typedef {object} Flaw
 * @property {string} field The name of the field in the service: `name`, `latitude`, `longitude`, `radius`, `geometry`, `priority`,
 *     `dwell`.
 * @property {string} reason The reason, which selects the message.
 * @property {Object<string, number>} [values] The values for the message.
 * @property {{part: number, ring: number}} [at] The part and ring, only for `geometry`.
 */

/** The errors that prevent saving, as far as the page can find them without the service. @param {Draft} draft @returns {Flaw[]} */
export function flawsOf({ typed }) {
  const flaws = [];
  const name = typed.name.trim();
  if (!name) flaws.push({ field: 'name', reason: 'missing' });
  else if ([...name].length > longestName) flaws.push({ field: 'name', reason: 'long' });
  flaws.push(...shapeFlaws(typed));
  if (typed.priority.trim() && !Number.isInteger(numberOf(typed.priority))) flaws.push({ field: 'priority', reason: 'whole' });
  const dwell = numberOf(typed.dwell);
  if (typed.dwell.trim() && !(dwell > 0 && dwell <= longestDwell)) flaws.push({ field: 'dwell', reason: 'range' });
  return flaws;
}

function shapeFlaws(typed) {
  if (typed.rings) {
    return typed.rings.flatMap((texts, part) => texts.flatMap((text, ring) => {
      const read = ringOf(text);
      if (!read.ring) return [{ field: 'geometry', reason: read.reason, values: { line: read.line }, at: { part, ring } }];
      const isTooShort = read.ring.length < fewestCorners && (ring === 0 || read.ring.length > 0);
      return isTooShort ? [{ field: 'geometry', reason: 'corners', at: { part, ring } }] : [];
    }));
  }
  const range = (field, least, most) => {
    const value = numberOf(typed[field]);
    return value !== null && value >= least && value <= most ? [] : [{ field, reason: 'range' }];
  };
  return [...range('latitude', -90, 90), ...range('longitude', -180, 180), ...range('radius', radii.least, radii.most)];
}

// MARK: Requests

/** The values of the editable fields. A text that was not changed keeps its exact old value. */
function valuesOf({ base, typed, shape }) {
  const old = base ? textsOf(base) : null;
  const kept = (field, value) => (old && old[field] === typed[field] ? base[field] : value());
  const dwell = kept('dwell', () => (typed.dwell.trim() ? Number((numberOf(typed.dwell) * 60).toFixed(3)) : undefined));
  const priority = kept('priority', () => numberOf(typed.priority) ?? 0);
  return {
    name: typed.name.trim(), ...shapeValues(shape, base), isActive: typed.isActive, priority: priority ?? 0, dwell: dwell ?? null,
  };
}

function shapeValues(shape, base) {
  if (!shape) return {};
  if (shape.kind === 'circle') return { latitude: shape.latitude, longitude: shape.longitude, radius: shape.radius };
  return base?.geometry && isSame(shapeOf(base), shape) ? { geometry: base.geometry } : { geometry: geometryOf(shape.parts) };
}

const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** The editable fields of a geofence, with the defaults of missing values. */
const fieldsOf = (geofence) => ({ ...valuesOf(draftOf(geofence, '')) });

/**
 * The complete geofence, to create it or to check it for overlaps.
 *
 * @param {Draft} draft
 */
export function bodyOf(draft) {
  const { name, dwell, ...values } = valuesOf(draft);
  const { latitude, longitude, radius, geometry, notes, ...rest } = draft.base ?? {};
  const body = { ...rest, ...values };
  delete body.dwell;
  if (name) body.name = name;
  else delete body.name;
  if (dwell !== null) body.dwell = dwell;
  return body;
}

/**
 * The differences from the original geofence as a merge patch (RFC 7396); empty if there are none.
 *
 * @param {Draft} draft A draft that edits a geofence.
 */
export function changesOf(draft) {
  const [before, after] = [fieldsOf(draft.base), valuesOf(draft)];
  const changes = Object.fromEntries(Object.entries(after).filter(([field, value]) => !isSame(before[field] ?? null, value)));
  // If the geofence says so, edges longer than 180 degrees stay as they are written.
  return changes.geometry && draft.base.asWritten ? { ...changes, asWritten: true } : changes;
}

/** Whether the draft contains unsaved changes. @param {Draft} draft */
export function isChanged(draft) {
  if (!draft.base) return true;
  const old = textsOf(draft.base);
  return Object.keys(draft.typed).some((field) => !isSame(draft.typed[field], old[field]));
}

/** Whether a draft contains nothing that the person has drawn or typed. @param {Draft} draft */
export function isUntouched(draft) {
  if (draft.base) return !isChanged(draft);
  const empty = newDraft('rings' in draft.typed ? 'polygons' : 'circle').typed;
  return draft.shape === null && Object.keys(draft.typed).every((field) => isSame(draft.typed[field], empty[field]));
}

/**
 * The same changes applied to the version that somebody else has saved in the meantime. Fields that were not changed here get the other
 * person's values.
 *
 * @param {Draft} draft
 * @param {object} theirs
 * @param {string} tag The version of `theirs`.
 * @returns {Draft}
 */
export function rebased(draft, theirs, tag) {
  const [old, now] = [textsOf(draft.base), textsOf(theirs)];
  const isCircle = [old, now, draft.typed].every((texts) => !texts.rings);
  const shapes = isCircle ? [['latitude', 'longitude'], ['radius']] : [['latitude', 'longitude', 'radius', 'rings']];
  const groups = [['name'], ['priority'], ['dwell'], ['isActive'], ...shapes];
  const typed = {};
  for (const fields of groups) {
    const isMine = fields.some((field) => !isSame(draft.typed[field] ?? null, old[field] ?? null));
    const texts = isMine ? draft.typed : now;
    for (const field of fields) if (texts[field] !== undefined) typed[field] = texts[field];
  }
  return { base: theirs, tag, shape: shapeTyped(typed) ?? draft.shape, typed };
}
