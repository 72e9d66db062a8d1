// The geofences that a draft overlaps. The service is asked while the shape is drawn, because only the service can compute overlaps
// exactly.

import { request, RequestFailed } from './api.js';
import { h, icon } from './dom.js';
import { bodyOf } from './edit-draft.js';
import { editing, onEdit } from './edit-state.js';
import { newestOnly } from './newest-only.js';
import { style } from './preferences.js';
import { changed, whyReadOnly } from './state.js';
import { t, text, tn } from './translate.js';

/** The maximum number of overlaps to request, and the maximum number to list individually. */
const [most, mostListed] = [100, 6];

/**
 * @typedef {{b: string, nameOfB: string, relation: string, shareOfA: number, shareOfB: number}} Overlap An overlap as the service returns
 * it for a draft.
 */

/** @type {{overlaps: Overlap[], isComplete: boolean}|null} */
let found = null;
/** @type {object|null} The error of the outline that the service has returned. */
let problem = null;
/** The body of the last request. */
let asked = '';
/** The shape in that body. The same object means the same shape. */
let askedShape = null;
const listeners = new Set();

const questions = newestOnly({
  ask: (body) => request('POST', `/v1/geofences:overlaps?limit=${most}`, JSON.parse(body)),
  onAnswer: (answer) => setResult(answer, null),
  onFailure(failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    // A request without an answer is repeated when the connection is back, or at the next change.
    if (failure.status === 0) asked = '';
    setResult(null, failure.problem.code === 'validationFailed' ? failure.problem : null);
  },
});

function setResult(answer, refusal) {
  found = answer;
  problem = refusal;
  for (const listener of listeners) listener();
  changed();
}

/** @param {() => void} callback Called when the overlaps of the draft have changed. */
export const onOverlaps = (callback) => { listeners.add(callback); };

/** The known overlaps of the draft, those with the largest shares first. @returns {Overlap[]} */
export const overlaps = () => [...(found?.overlaps ?? [])].sort((a, b) => b.shareOfA + b.shareOfB - a.shareOfA - a.shareOfB);

/** The error of the outline that the service has returned while it is drawn; null if there is none. */
export const outlineProblem = () => problem;

/** Requests the overlaps of the draft unless they were already requested. */
export function askAgain() {
  const { draft } = editing;
  if (!draft?.shape || (draft.shape.kind === 'polygons' && draft.shape.parts[0][0].length < 3)) {
    asked = '';
    questions.cancel();
    if (found || problem) setResult(null, null);
    return;
  }
  if (whyReadOnly() || (asked && draft.shape === askedShape)) return;
  askedShape = draft.shape;
  // Only the shape matters, not the name that is being typed.
  const body = JSON.stringify(placeOf(bodyOf(draft)));
  if (body === asked) return;
  asked = body;
  questions.ask(body);
}

onEdit(askAgain);

const placeOf = ({ id, latitude, longitude, radius, geometry, asWritten }) => ({ id, latitude, longitude, radius, geometry, asWritten });

/** The names of the overlapped geofences in one line; null if there are none. */
export function overlapSummary() {
  const names = overlaps().map(({ nameOfB }) => t('‘{name}’', { name: nameOfB }));
  if (!names.length) return null;
  const shown = names.slice(0, 2);
  if (names.length > shown.length) shown.push(t('{count} more', { count: names.length - shown.length }));
  return t('Overlaps {names}', { names: new Intl.ListFormat(style().locale, { type: 'conjunction' }).format(shown) });
}

/** How geofences overlap, by the service's name of the relation. */
const relations = {
  overlaps: text('Overlaps ‘{name}’: {ofThis} of this one, {ofOther} of ‘{name}’'),
  contains: text('Contains ‘{name}’'),
  within: text('Is within ‘{name}’'),
  equals: text('Covers the same area as ‘{name}’'),
  touches: text('Touches ‘{name}’'),
};

const percent = (share) => new Intl.NumberFormat(style().locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

/** An overlap as a sentence. @param {Overlap} overlap */
const overlapText = ({ relation, nameOfB, shareOfA, shareOfB }) =>
  t(relations[relation] ?? relation, { name: nameOfB, ofThis: percent(shareOfA), ofOther: percent(shareOfB) });

/** The warnings in the form. */
export function overlapList() {
  const all = overlaps();
  const listed = all.slice(0, mostListed);
  return h('div', { class: 'edit-overlaps', id: 'edit-overlaps', 'data-key': 'overlaps', role: 'status' },
    all.length ? [
      h('p', { class: 'warning-text edit-warning' },
        icon('exclamationmark.triangle'), h('strong', {}, found.isComplete
          ? tn(all.length, 'Overlaps {count} other geofence', 'Overlaps {count} other geofences')
          : t('Overlaps at least {count} other geofences', { count: all.length }))),
      h('ul', {}, listed.map((overlap) => h('li', { 'data-key': overlap.b, 'data-relation': overlap.relation }, overlapText(overlap)))),
      all.length > listed.length ? h('p', { class: 'hint' }, t('And {count} more.', { count: all.length - listed.length })) : null,
    ] : null);
}
