// Adds and removes the corners of a polygon.

import { withTyped } from './edit-draft.js';
import { canRemove, fewestCorners, ringOf, textOf, turnsTowards, withCornerRemoved, wrapped } from './edit-outline.js';
import { draw, editing, end, update } from './edit-state.js';
import { announce } from './shell.js';
import { t, tn } from './translate.js';

/** The corners that were added so far. @returns {import('./edit-outline.js').Ring} */
export const drawnCorners = () => ringOf(editing.draft?.typed.rings?.[0]?.[0] ?? '').ring ?? [];

/** Whether a polygon is being drawn. */
export const isDrawingPolygon = () => editing.isDrawing && Boolean(editing.draft?.typed.rings);

function setCorners(ring) {
  const draft = withTyped(editing.draft, { rings: [[textOf(ring)]] });
  update({ draft: ring.length < fewestCorners ? { ...draft, shape: null } : draft, corner: null });
}

/**
 * Adds the next corner, with a longitude on the same turn around the earth as the preceding one.
 *
 * @param {import('./edit-outline.js').Place} place
 */
export function addCorner({ latitude, longitude }) {
  const before = drawnCorners();
  const near = before.length ? longitude + turnsTowards(longitude, before.at(-1).longitude) : wrapped(longitude);
  const ring = [...before, { latitude: Number(latitude.toFixed(7)), longitude: Number(near.toFixed(7)) }];
  setCorners(ring);
  announce(tn(ring.length, '{count} corner.', '{count} corners.'));
}

export function removeLastCorner() {
  const ring = drawnCorners().slice(0, -1);
  setCorners(ring);
  announce(tn(ring.length, '{count} corner.', '{count} corners.'));
}

/** Ends the drawing of a polygon, which can then be changed and saved. */
export function finishDrawing() {
  if (drawnCorners().length < fewestCorners) {
    announce(t('Expected at least three corners.'));
    update({ isChecked: true });
    return;
  }
  draw(editing.draft.shape, { isDrawing: false });
  focusName();
}

/** Moves the focus to the name, except on touch screens, where the on-screen keyboard would hide the map. */
export function focusName() {
  if (!matchMedia('(pointer: coarse)').matches) document.getElementById('edit-name')?.focus({ preventScroll: true });
}

/** Discards what was drawn. If nothing was drawn, ends the drawing. The name and other input stay until the form is closed. */
export function cancelDrawing() {
  if (isDrawingPolygon() && drawnCorners().length > 0) {
    setCorners([]);
    announce(t('Drawing canceled.'));
  } else {
    end();
    document.getElementById('view-title')?.focus();
  }
}

/** Removes the corner that was selected last. */
export function removeSelectedCorner() {
  const { draft, corner } = editing;
  if (!corner || !draft?.shape?.parts?.[corner.part]?.[corner.ring] || !canRemove(draft.shape.parts, corner)) return;
  draw({ kind: 'polygons', parts: withCornerRemoved(draft.shape.parts, corner) }, { corner: null });
  announce(t('Corner removed.'));
}
