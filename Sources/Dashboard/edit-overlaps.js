// Which geofences the draft overlaps: asked of the service while it is drawn, because only the service knows it exactly.

import { request, RequestFailed } from './api.js';
import { h, icon } from './dom.js';
import { bodyOf } from './edit-draft.js';
import { editing, onEdit } from './edit-state.js';
import { newestOnly } from './newest-only.js';
import { style } from './preferences.js';
import { changed, whyReadOnly } from './state.js';
import { t } from './translate.js';

/** So many are asked for, and so many of these are told one by one. */
const [most, mostTold] = [100, 6];

/** @typedef {{b: string, nameOfB: string, relation: string, shareOfA: number, shareOfB: number}} Overlap As the service tells it of a draft. */

/** @type {{overlaps: Overlap[], isComplete: boolean}|null} */
let found = null;
/** @type {object|null} What is wrong with the outline, as the service says. */
let problem = null;
/** The body that was asked about last. */
let asked = '';
/** Its shape: the same object is the same shape. */
let askedShape = null;
const listeners = new Set();

const questions = newestOnly({
  ask: (body) => request('POST', `/v1/geofences:overlaps?limit=${most}`, JSON.parse(body)),
  onAnswer: (answer) => tell(answer, null),
  onFailure(failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    // What got no answer is asked again when the connection is back, and else with the next change.
    if (failure.status === 0) asked = '';
    tell(null, failure.problem.code === 'validationFailed' ? failure.problem : null);
  },
});

function tell(answer, refusal) {
  found = answer;
  problem = refusal;
  for (const listener of listeners) listener();
  changed();
}

/** @param {() => void} callback Called when the overlaps of the draft are others. */
export const onOverlaps = (callback) => { listeners.add(callback); };

/** What is known of the draft's overlaps, those that share most first. @returns {Overlap[]} */
export const overlaps = () => [...(found?.overlaps ?? [])].sort((a, b) => b.shareOfA + b.shareOfB - a.shareOfA - a.shareOfB);

/** What the service says is wrong with the outline while it is drawn; null when nothing is. */
export const outlineProblem = () => problem;

/** Asks about the draft, when it is another one than was asked about last. */
export function askAgain() {
  const { draft } = editing;
  if (!draft?.shape || (draft.shape.kind === 'polygons' && draft.shape.parts[0][0].length < 3)) {
    asked = '';
    questions.cancel();
    if (found || problem) tell(null, null);
    return;
  }
  if (whyReadOnly() || (asked && draft.shape === askedShape)) return;
  askedShape = draft.shape;
  // Only the place counts; the name that is being typed does not.
  const body = JSON.stringify(placeOf(bodyOf(draft)));
  if (body === asked) return;
  asked = body;
  questions.ask(body);
}

onEdit(askAgain);

const placeOf = ({ id, latitude, longitude, radius, geometry, asWritten }) => ({ id, latitude, longitude, radius, geometry, asWritten });

/** The names of the geofences that the draft meets, in one line; null when it meets none. */
export function overlapSummary() {
  const names = overlaps().map(({ nameOfB }) => t('edit.quoted', { name: nameOfB }));
  if (!names.length) return null;
  const shown = names.slice(0, 2);
  if (names.length > shown.length) shown.push(t('edit.overlaps.others', { count: names.length - shown.length }));
  return t('edit.overlaps.names', { names: new Intl.ListFormat(style().locale, { type: 'conjunction' }).format(shown) });
}

const percent = (share) => new Intl.NumberFormat(style().locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share);

/** An overlap as a sentence. @param {Overlap} overlap */
export const overlapText = ({ relation, nameOfB, shareOfA, shareOfB }) =>
  t(`edit.overlap.${relation}`, { name: nameOfB, ofThis: percent(shareOfA), ofOther: percent(shareOfB) });

/** The warnings of the form. */
export function overlapList() {
  const all = overlaps();
  const told = all.slice(0, mostTold);
  return h('div', { class: 'edit-overlaps', id: 'edit-overlaps', 'data-key': 'overlaps', role: 'status' },
    all.length ? [
      h('p', { class: 'warning-text edit-warning' },
        icon('exclamationmark.triangle'), h('strong', {}, t(found.isComplete ? 'edit.overlaps' : 'edit.overlaps.atLeast', { count: all.length }))),
      h('ul', {}, told.map((overlap) => h('li', { 'data-key': overlap.b, 'data-relation': overlap.relation }, overlapText(overlap)))),
      all.length > told.length ? h('p', { class: 'hint' }, t('edit.overlaps.more', { count: all.length - told.length })) : null,
    ] : null);
}
