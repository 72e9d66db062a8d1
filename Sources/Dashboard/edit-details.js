// The actions for the selected geofence: edit, activate or deactivate, and delete.

import { askToConfirm, confirmation } from './confirmation.js';
import { h } from './dom.js';
import { beginChange, pathOf } from './edit-state.js';
import { setActive } from './edit-save.js';
import { geofencesKey } from './map-geofences.js';
import { mapState, select } from './map-state.js';
import { button } from './parts.js';
import { operationProblem } from './problem-card.js';
import { isBeingRemoved, removeLater } from './removal.js';
import { app, operation, resource } from './state.js';
import { t, text, tn } from './translate.js';

/** Ids of geofences whose deletion was started or completed. @type {Set<string>} */
const removed = new Set();

/** The geofences that are hidden because they are being deleted, although the service may not know it yet. */
export const beingRemoved = () => [...removed].filter((id) => isBeingRemoved(pathOf(id)));

const removalKey = (id) => `delete ${id}`;

/** @param {import('./map-state.js').Selection} selection */
export function details({ kind, id }) {
  const geofence = mapState.geofences.get(id)?.value;
  if (kind !== 'geofence' || !geofence) return null;
  const isAsking = app.open.has(removalKey(id));
  return h('div', { class: 'edit-details', 'data-key': `edit ${id}` },
    isAsking ? deletionQuestion(geofence) : actions(geofence),
    operationProblem(`activate ${id}`, () => setActive(geofence, !geofence.isActive)));
}

function actions(geofence) {
  const { id, name, isActive = true } = geofence;
  return h('p', { class: 'actions', 'data-key': 'actions' },
    button(t('Edit'), () => beginChange(id), { isWrite: true, id: 'edit-geofence', name: t('Edit ‘{name}’', { name }) }),
    button(isActive ? t('Deactivate') : t('Activate'), () => setActive(geofence, !isActive), {
      isWrite: true, id: 'toggle-geofence', isRunning: operation(`activate ${id}`).isRunning,
      name: t(isActive ? text('Deactivate ‘{name}’') : text('Activate ‘{name}’'), { name }),
    }),
    button(t('Remove'), () => askToConfirm(removalKey(id), 'deletion'), {
      kind: 'danger', isWrite: true, id: 'delete-geofence', name: t('Remove ‘{name}’', { name }),
    }));
}

function deletionQuestion({ id, name }) {
  const inside = resource(`${pathOf(id)}/devices?limit=100`).data?.devices.length;
  return confirmation({
    key: removalKey(id), name: 'deletion', backTo: 'delete-geofence', question: t('Remove geofence ‘{name}’?', { name }),
    loss: [inside ? [tn(inside, '{count} device is inside: its visit ends.', '{count} devices are inside: their visits end.'), ' '] : null,
      t('Open visits to this geofence end, and its regions on phones are orphaned until the next repair.'), ' ', t('You can undo it for 10 seconds.')],
    label: t('Remove'), action: () => remove(id, name),
  });
}

/** Hides the geofence immediately, and deletes it when the time for undo has passed. */
function remove(id, name) {
  app.open.delete(removalKey(id));
  select(null);
  removed.add(id);
  removeLater({ path: pathOf(id), text: t('Geofence ‘{name}’ removed.', { name }), failed: t('‘{name}’ was not removed.', { name }), listPath: geofencesKey });
}
