// The card that is shown if somebody else has changed a geofence while it was being edited.

import { h, icon } from './dom.js';
import { differencesOf } from './edit-differences.js';
import { bodyOf } from './edit-draft.js';
import { bringBack, editing, useTheirs } from './edit-state.js';
import { goOnWithMine } from './edit-save.js';
import { formatLength } from './format.js';
import { inverse } from './geodesy.js';
import { button, number } from './parts.js';
import { style } from './preferences.js';
import { t } from './translate.js';

const distance = (a, b) => inverse(a.latitude, a.longitude, b.latitude, b.longitude).distance;
const length = (meters) => formatLength(meters, style());
const minutes = (seconds) => (seconds === null ? t('edit.none') : t('edit.minutes', { minutes: number(seconds / 60) }));
const quoted = (name) => t('edit.quoted', { name });

const words = {
  name: ({ before, after }) => [quoted(before), quoted(after)],
  radius: ({ before, after }) => [length(before), length(after)],
  corners: ({ before, after }) => [number(before), number(after)],
  priority: ({ before, after }) => [number(before), number(after)],
  dwell: ({ before, after }) => [minutes(before), minutes(after)],
  isActive: ({ before, after }) => [t(`edit.active.${before}`), t(`edit.active.${after}`)],
  shape: ({ before, after }) => [t(`edit.kind.${before}`), t(`edit.kind.${after}`)],
};

/** The text of a difference. @param {import('./edit-differences.js').Difference} difference */
function textOf(difference) {
  const values = words[difference.kind]?.(difference);
  if (values) return t('edit.difference.from', { field: t(`edit.difference.${difference.kind}`), before: values[0], after: values[1] });
  return t(`edit.difference.${difference.kind}`, difference.kind === 'moved' ? { length: length(difference.meters) } : {});
}

const list = (title, differences) => (differences.length
  ? [
    h('p', {}, title),
    h('ul', { class: 'edit-differences' }, differences.map((difference) => h('li', { 'data-difference': difference.kind }, textOf(difference)))),
  ]
  : null);

/** The card; null if nobody else has changed the geofence. */
export function conflictCard() {
  const { draft, theirs } = editing;
  if (!theirs) return null;
  const name = draft.base.name;
  const wasDeleted = theirs.geofence === null;
  const attributes = {
    class: 'edit-conflict', id: 'edit-conflict', 'data-key': 'conflict', tabindex: '-1', role: 'alert', 'aria-labelledby': 'edit-conflict-title',
  };
  return h('div', attributes,
    h('h3', { id: 'edit-conflict-title' }, icon('arrow.triangle.branch'), t(wasDeleted ? 'edit.conflict.deleted' : 'edit.conflict.changed', { name })),
    wasDeleted
      ? h('p', {}, t('edit.conflict.deleted.explanation'))
      : [
        list(t('edit.conflict.theirs'), differencesOf(draft.base, theirs.geofence, distance)),
        list(t('edit.conflict.yours'), differencesOf(draft.base, { ...draft.base, ...mine(draft) }, distance)),
        h('p', { class: 'hint' }, t('edit.conflict.explanation')),
      ],
    h('p', { class: 'actions' },
      button(t(wasDeleted ? 'edit.conflict.makeAgain' : 'edit.conflict.keepMine'), goOnWithMine, { kind: 'primary', isWrite: true, id: 'keep-mine' }),
      button(t(wasDeleted ? 'edit.conflict.discard' : 'edit.conflict.useTheirs'), useTheirs, { id: 'use-theirs' })));
}

/** The draft in the form of the service, as far as its fields are valid. */
const mine = (draft) => ({ dwell: undefined, ...bodyOf(draft) });

/** A note that the person's own changes were set aside for those of somebody else, with a button to restore them. */
export function setAsideNote() {
  if (!editing.setAside) return null;
  return h('p', { class: 'edit-note', 'data-key': 'set-aside', role: 'status' },
    t('edit.setAside'), ' ', button(t('edit.bringBack'), bringBack, { kind: 'plain', id: 'bring-back' }));
}
