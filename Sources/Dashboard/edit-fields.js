// The fields of the geofence form. They also show what is drawn on the map, so that everything can be done without a pointer.

import { flawsOf } from './edit-draft.js';
import { editing, leave, saveKey, type } from './edit-state.js';
import { outlineProblem } from './edit-overlaps.js';
import { bringIntoView } from './edit-shape.js';
import { h, icon } from './dom.js';
import { operation } from './state.js';
import { t, text } from './translate.js';

/** The service's names of fields that have another name in the form. */
const ownNames = { coordinates: 'geometry', 'geometry.type': 'geometry' };

const labels = {
  name: text('Name'),
  latitude: text('Latitude'),
  longitude: text('Longitude'),
  radius: text('Radius in meters'),
  priority: text('Priority'),
  dwell: text('Minutes before a dwell is reported'),
};

/** The texts of errors, by field and reason. */
const flawTexts = {
  'name missing': text('Enter a name.'),
  'name long': text('Expected at most 120 characters.'),
  'latitude range': text('Expected degrees from -90 to 90.'),
  'longitude range': text('Expected degrees from -180 to 180.'),
  'radius range': text('Expected meters from 1 to 1,000,000.'),
  'geometry pair': text('Line {line}: expected a latitude and a longitude.'),
  'geometry latitude': text('Line {line}: expected a latitude from -90 to 90.'),
  'geometry longitude': text('Line {line}: expected a longitude from -360 to 360.'),
  'geometry corners': text('Expected at least three corners.'),
  'priority whole': text('Expected a whole number.'),
  'dwell range': text('Expected minutes, more than 0 and at most a year.'),
};

const known = ['name', 'latitude', 'longitude', 'radius', 'geometry', 'priority', 'dwell'];

/** The field that the service has refused, and the reason. */
export function refusal() {
  const { problem } = operation(saveKey);
  const named = problem?.code === 'validationFailed' ? problem.parameters?.field : undefined;
  const field = ownNames[named] ?? named;
  return known.includes(field) && hasField(field) ? { field, message: problem.message } : null;
}

/** A circle has no outline, and a polygon has no radius. */
const hasField = (field) => (editing.draft?.typed.rings ? !['latitude', 'longitude', 'radius'].includes(field) : field !== 'geometry');

/** The errors of the last checked draft. They are cached, because an outline may have thousands of corners. */
let looked = { draft: null, flaws: [] };

function flaws() {
  if (looked.draft !== editing.draft) looked = { draft: editing.draft, flaws: flawsOf(editing.draft) };
  return looked.flaws;
}

/** The error to show at a field; null if the field is valid, or if the person has neither left the field nor tried to save. */
function errorOf(field, at) {
  const refused = refusal();
  if (refused?.field === field && (!at || (at.part === 0 && at.ring === 0))) return refused.message;
  const flaw = flaws().find((other) => other.field === field && (!at || (other.at.part === at.part && other.at.ring === at.ring)));
  if (!flaw || !(editing.isChecked || editing.touched.has(keyOf(field, at)))) return null;
  return t(flawTexts[`${field} ${flaw.reason}`], flaw.values);
}

/** The event handlers of a field. Some browsers fire only the change event when they autofill fields. */
const typing = (key, typed, take) => ({
  oninput: (event) => take(event.target.value),
  onchange: (event) => {
    if (event.target.value !== typed) take(event.target.value);
    leave(key);
    bringIntoView();
  },
});

const keyOf = (field, at) => (at ? `${field} ${at.part} ${at.ring}` : field);

/**
 * A field with its label, a hint, and its error.
 *
 * @param {string} name The name of the field in the draft and in the service.
 * @param {{hint?: string, isRequired?: boolean, mode?: string, warning?: string|null}} [options] `mode`: the input mode for on-screen
 *     keyboards.
 */
export function textField(name, { hint, isRequired = false, mode, warning } = {}) {
  const { draft } = editing;
  const error = errorOf(name);
  return wrapped(`edit-${name}`, t(labels[name]), { error, hint, warning }, (described) => h('input', {
    id: `edit-${name}`, name, type: 'text', inputmode: mode, autocomplete: 'off', spellcheck: mode ? 'false' : null, required: isRequired,
    'aria-invalid': error ? 'true' : null, 'aria-describedby': described,
    ...typing(name, draft.typed[name], (text) => type({ [name]: text })),
  }));
}

function wrapped(id, label, { error, hint, warning }, input) {
  const notes = [
    error && h('p', { id: `${id}-error`, class: 'field-error', role: 'alert' }, error),
    warning && h('p', { id: `${id}-warning`, class: 'warning-text edit-warning' }, icon('exclamationmark.triangle'), h('span', {}, warning)),
    hint && h('p', { id: `${id}-hint`, class: 'hint' }, hint),
  ].filter(Boolean);
  return h('div', { class: 'field', 'data-key': id },
    h('label', { for: id }, label),
    input(notes.map((note) => note.id).join(' ') || null), notes);
}

/** The corners of all rings, with one field for each ring. */
export const outlineFields = () => editing.draft.typed.rings.flatMap((texts, part) => texts.map((text, ring) => ringField({ part, ring }, text)));

function ringField(at, text) {
  const id = `edit-ring-${at.part}-${at.ring}`;
  const error = errorOf('geometry', at) ?? (at.part === 0 && at.ring === 0 ? outlineProblem()?.message : null);
  const hint = at.ring === 0 ? t('Latitude and longitude, one corner per line.') : t('If no corners remain, the hole is closed.');
  return wrapped(id, ringName(at), { error, hint }, (described) => h('textarea', {
    id, name: id, rows: Math.min(10, Math.max(4, text.split('\n').length + 1)), inputmode: 'text', autocomplete: 'off', spellcheck: 'false',
    'aria-invalid': error ? 'true' : null, 'aria-describedby': described,
    ...typing(keyOf('geometry', at), text, (typed) => typeRing(at, typed)),
  }));
}

function ringName({ part, ring }) {
  const { rings } = editing.draft.typed;
  const name = ring === 0 ? t('Corners') : t('Hole {number}', { number: ring });
  return rings.length > 1 ? t('Part {number}: {name}', { number: part + 1, name }) : name;
}

const typeRing = (at, text) => type({
  rings: editing.draft.typed.rings.map((texts, part) => texts.map((old, ring) => (part === at.part && ring === at.ring ? text : old))),
});

/** Updates the fields after a change on the map. */
export function fillFields() {
  const form = document.getElementById('edit-form');
  const { draft } = editing;
  if (!form || !draft) return;
  const fill = (id, text) => {
    const field = document.getElementById(id);
    if (field && field.value !== text) field.value = text;
  };
  for (const name of ['name', 'latitude', 'longitude', 'radius', 'priority', 'dwell']) fill(`edit-${name}`, draft.typed[name] ?? '');
  draft.typed.rings?.forEach((texts, part) => texts.forEach((text, ring) => fill(`edit-ring-${part}-${ring}`, text)));
  const box = document.getElementById('edit-isActive');
  if (box && box.checked !== draft.typed.isActive) box.checked = draft.typed.isActive;
}
