// The geofence that is being drawn or changed on the map. It outlives the view, a lost connection and a sign-in.

import { draftOf, isChanged, newDraft, rebased, withShape, withTyped } from './edit-draft.js';
import { select } from './map-state.js';
import { changed, clearOperation, focusWhenDrawn } from './state.js';

/** The key of the operation that saves. */
export const saveKey = 'save geofence';

/** Where a draft is kept, in case the browser drops the page, as phones do with pages in the background. */
const storageKey = 'picket.draft';

const nothing = () => ({
  /** @type {string|null} The geofence that is changed, also while it is loaded. */
  id: null,
  /** Milliseconds since 1970. What was loaded before is too old to begin with. */
  begunAt: 0,
  /** @type {import('./edit-draft.js').Draft|null} */
  draft: null,
  /** Whether the pointer draws a new shape on the map. */
  isDrawing: false,
  /** @type {import('./edit-outline.js').CornerPlace|null} The corner that was touched last. */
  corner: null,
  /** Degrees clockwise from north: where the handle is that resizes a circle. */
  handleAzimuth: 90,
  /** Whether a person has tried to save, so that all that is wrong is said. */
  isChecked: false,
  /** @type {Set<string>} Fields that a person has left. */
  touched: new Set(),
  /**
   * What somebody else has made of it meanwhile; without a geofence it was deleted.
   *
   * @type {{geofence: object|null, tag: string|null, isMetBySaving?: boolean}|null}
   */
  theirs: null,
  /** @type {import('./edit-draft.js').Draft|null} The own changes that gave way to theirs. */
  setAside: null,
});

export const editing = { ...nothing(), ...restored() };

function keep() {
  const { id, draft, isDrawing } = editing;
  try {
    if (draft) sessionStorage.setItem(storageKey, JSON.stringify({ id, draft, isDrawing }));
    else sessionStorage.removeItem(storageKey);
  } catch {
    // A browser that keeps nothing for this page still has the draft until the page is closed.
  }
}

// A page that is hidden may not come back.
document.addEventListener('visibilitychange', () => { if (document.hidden) keep(); });
window.addEventListener('pagehide', keep);

function restored() {
  try {
    return { ...JSON.parse(sessionStorage.getItem(storageKey)), begunAt: Date.now() };
  } catch {
    return {};
  }
}

/** Whether something is drawn or changed. */
export const isEditing = () => editing.draft !== null || editing.id !== null;

/** @param {string} id */
export const pathOf = (id) => `/v1/geofences/${encodeURIComponent(id)}`;

const listeners = new Set();

/** @param {() => void} callback Called when the draft, or how it is drawn, has changed. */
export const onEdit = (callback) => { listeners.add(callback); };

/** Takes changes over and draws the page and the map again. @param {Partial<typeof editing>} changes */
export function update(changes) {
  Object.assign(editing, changes);
  for (const listener of listeners) listener();
  changed();
}

/** Begins to draw a new geofence. @param {'circle'|'polygons'} kind */
export function beginNew(kind) {
  end();
  select(null);
  update({ draft: newDraft(kind), isDrawing: true, begunAt: Date.now() });
  focusTitle();
}

/** Begins to change a geofence. Its draft is made when it is loaded. @param {string} id */
export function beginChange(id) {
  end();
  update({ id, begunAt: Date.now() });
  focusTitle();
}

/** @param {object} geofence @param {string} tag */
export const adopt = (geofence, tag) => update({ draft: draftOf(geofence, tag), theirs: null });

const focusTitle = () => focusWhenDrawn('edit-title');

/** Ends it, saved or not. */
export function end() {
  clearOperation(saveKey);
  update(nothing());
}

/** A shape was drawn. @param {import('./edit-draft.js').DraftShape} shape @param {Partial<typeof editing>} [more] */
export function draw(shape, more = {}) {
  update({ draft: withShape(editing.draft, shape), ...more });
}

/** Something was typed. @param {Partial<import('./edit-draft.js').Typed>} typed */
export function type(typed) {
  const draft = withTyped(editing.draft, typed);
  // A circle that is typed is drawn already.
  const isDrawing = editing.isDrawing && !(draft.shape?.kind === 'circle');
  update({ draft, isDrawing, corner: null });
}

/** A field was left, so that what is wrong with it is said. @param {string} field */
export function leave(field) {
  if (editing.touched.has(field)) return;
  update({ touched: new Set([...editing.touched, field]) });
}

// MARK: Changed by somebody else

/**
 * Looks at what the service has now. Changes of somebody else are taken over where there is nothing to lose, and else told.
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

/** Goes on with the own changes, on top of theirs. */
export function keepMine() {
  const { draft, theirs } = editing;
  clearOperation(saveKey);
  // One that was deleted is made again, with everything it had.
  const next = theirs.geofence ? rebased(draft, theirs.geofence, theirs.tag) : { ...draft, tag: null };
  update({ draft: next, theirs: null });
}

/** Goes on with theirs. The own changes can be brought back. */
export function useTheirs() {
  const { draft, theirs } = editing;
  clearOperation(saveKey);
  if (!theirs.geofence) return end();
  update({ draft: draftOf(theirs.geofence, theirs.tag), theirs: null, setAside: draft, isChecked: false, corner: null });
}

/** Takes up again the own changes that gave way to theirs. */
export function bringBack() {
  const { draft, setAside } = editing;
  update({ draft: rebased(setAside, draft.base, draft.tag), setAside: null });
}

