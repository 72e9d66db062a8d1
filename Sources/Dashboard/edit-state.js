// The geofence that is being drawn or edited on the map. The state is kept when the view changes, the connection is lost, or the person
// signs in again.

import { draftOf, isChanged, isUntouched, newDraft, rebased, withShape, withTyped } from './edit-draft.js';
import { select } from './map-state.js';
import { changed, clearOperation, focusWhenDrawn } from './state.js';

/** The key of the save operation. */
export const saveKey = 'save geofence';

/** The storage key of the draft. Browsers on phones may discard pages in the background. */
const storageKey = 'picket.draft';

const nothing = () => ({
  /** @type {string|null} The id of the geofence being edited, also while it is loading. */
  id: null,
  /** Milliseconds since 1970. Data that was loaded earlier is too old to start with. */
  begunAt: 0,
  /** @type {import('./edit-draft.js').Draft|null} */
  draft: null,
  /** Whether the pointer draws a new shape on the map. */
  isDrawing: false,
  /** @type {import('./edit-outline.js').CornerPlace|null} The corner that was selected last. */
  corner: null,
  /** Degrees clockwise from north: the position of the handle that resizes a circle. */
  handleAzimuth: 90,
  /** Whether the person has tried to save, so that all errors are shown. */
  isChecked: false,
  /** @type {Set<string>} The fields that the person has left. */
  touched: new Set(),
  /**
   * The version that somebody else has saved in the meantime. If `geofence` is null, it was deleted.
   *
   * @type {{geofence: object|null, tag: string|null, isMetBySaving?: boolean}|null}
   */
  theirs: null,
  /** @type {import('./edit-draft.js').Draft|null} The person's own changes that were set aside for those of somebody else. */
  setAside: null,
});

export const editing = { ...nothing(), ...restored() };

function keep() {
  const { id, draft, isDrawing } = editing;
  try {
    if (draft && !isUntouched(draft)) sessionStorage.setItem(storageKey, JSON.stringify({ id, draft, isDrawing }));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // If the browser does not store data for this page, the draft is kept only until the page is closed.
  }
}

// A hidden page may be discarded.
document.addEventListener('visibilitychange', () => { if (document.hidden) keep(); });
window.addEventListener('pagehide', keep);

function restored() {
  try {
    return { ...JSON.parse(sessionStorage.getItem(storageKey)), begunAt: Date.now() };
  } catch {
    return {};
  }
}

/** Whether a geofence is being drawn or edited. */
export const isEditing = () => editing.draft !== null || editing.id !== null;

/** @param {string} id */
export const pathOf = (id) => `/v1/geofences/${encodeURIComponent(id)}`;

const listeners = new Set();

/** @param {() => void} callback Called when the draft, or the way it is drawn, has changed. */
export const onEdit = (callback) => { listeners.add(callback); };

/** Applies changes, and redraws the page and the map. @param {Partial<typeof editing>} changes */
export function update(changes) {
  Object.assign(editing, changes);
  for (const listener of listeners) listener();
  changed();
}

/** Starts drawing a new geofence. @param {'circle'|'polygons'} kind */
export function beginNew(kind) {
  end();
  select(null);
  update({ draft: newDraft(kind), isDrawing: true, begunAt: Date.now() });
  focusTitle();
}

/** Starts editing a geofence. Its draft is created when it is loaded. @param {string} id */
export function beginChange(id) {
  end();
  update({ id, begunAt: Date.now() });
  focusTitle();
}

/** @param {object} geofence @param {string} tag */
export const adopt = (geofence, tag) => update({ draft: draftOf(geofence, tag), theirs: null });

const focusTitle = () => focusWhenDrawn('edit-title');

/** Ends editing, whether or not it was saved. */
export function end() {
  clearOperation(saveKey);
  update(nothing());
}

/** Ends editing unless the person has drawn or typed something, for example because another object was requested. */
export function endUntouched() {
  if (isEditing() && (!editing.draft || isUntouched(editing.draft))) end();
}

/** Applies a shape that was drawn. @param {import('./edit-draft.js').DraftShape} shape @param {Partial<typeof editing>} [more] */
export function draw(shape, more = {}) {
  update({ draft: withShape(editing.draft, shape), ...more });
}

/** Applies text that was typed. @param {Partial<import('./edit-draft.js').Typed>} typed */
export function type(typed) {
  const draft = withTyped(editing.draft, typed);
  // A circle that was typed no longer needs to be drawn.
  const isDrawing = editing.isDrawing && !(draft.shape?.kind === 'circle');
  update({ draft, isDrawing, corner: null });
}

/** Records that a field was left, so that its error is shown. @param {string} field */
export function leave(field) {
  if (editing.touched.has(field)) return;
  update({ touched: new Set([...editing.touched, field]) });
}

// MARK: Changes by someone else

/**
 * Processes the current version from the service. Changes by somebody else are applied if there are no unsaved changes, and otherwise
 * shown.
 *
 * @param {{geofence: object|null, tag: string|null}} theirs
 */
export function noticeTheirs(theirs) {
  const { draft } = editing;
  if (!draft?.base || theirs.tag === (editing.theirs ?? draft).tag) return;
  if (theirs.geofence && !isChanged(draft)) adopt(theirs.geofence, theirs.tag);
  else {
    update({ theirs });
    setTimeout(() => document.getElementById('edit-conflict')?.scrollIntoView({ block: 'nearest' }));
  }
}

/** Continues with the person's own changes based on the other version. */
export function keepMine() {
  const { draft, theirs } = editing;
  clearOperation(saveKey);
  // A deleted geofence is created again with all of its properties.
  const next = theirs.geofence ? rebased(draft, theirs.geofence, theirs.tag) : { ...draft, tag: null };
  update({ draft: next, theirs: null });
}

/** Continues with the other version. The person's own changes can be restored. */
export function useTheirs() {
  const { draft, theirs } = editing;
  clearOperation(saveKey);
  if (!theirs.geofence) return end();
  update({ draft: draftOf(theirs.geofence, theirs.tag), theirs: null, setAside: draft, isChecked: false, corner: null });
}

/** Restores the person's own changes that were set aside. */
export function bringBack() {
  const { draft, setAside } = editing;
  update({ draft: rebased(setAside, draft.base, draft.tag), setAside: null });
}

