// The card that is shown if another person has changed a geofence while it was being edited.

import { h, icon } from './dom.js';
import { differencesOf } from './edit-differences.js';
import { bodyOf } from './edit-draft.js';
import { bringBack, editing, useTheirs } from './edit-state.js';
import { goOnWithMine } from './edit-save.js';
import { formatLength } from './format.js';
import { inverse } from './geodesy.js';
import { button, number } from './parts.js';
import { style } from './preferences.js';
import { t, text } from './translate.js';

const distance = (a, b) => inverse(a.latitude, a.longitude, b.latitude, b.longitude).distance;
const length = (meters) => formatLength(meters, style());
const minutes = (seconds) => (seconds === null ? t('none') : t('{minutes} min', { minutes: number(seconds / 60) }));
const quoted = (name) => t('‘{name}’', { name });

const activity = (isActive) => (isActive ? t('active') : t('not active'));
const shapes = { circle: text('circle'), polygons: text('polygon') };

/** The texts of differences. Those of `values` are followed by the values before and after. */
const texts = {
  name: text('Name'),
  moved: text('Moved by {length}'),
  radius: text('Radius'),
  shape: text('Kind'),
  corners: text('Corners'),
  outline: text('The outline was changed'),
  isActive: text('State'),
  priority: text('Priority'),
  dwell: text('Time before a dwell is reported'),
  rest: text('Other settings'),
};

const values = {
  name: ({ before, after }) => [quoted(before), quoted(after)],
  radius: ({ before, after }) => [length(before), length(after)],
  corners: ({ before, after }) => [number(before), number(after)],
  priority: ({ before, after }) => [number(before), number(after)],
  dwell: ({ before, after }) => [minutes(before), minutes(after)],
  isActive: ({ before, after }) => [activity(before), activity(after)],
  shape: ({ before, after }) => [t(shapes[before]), t(shapes[after])],
};

/** The text of a difference. @param {import('./edit-differences.js').Difference} difference */
function textOf(difference) {
  const found = values[difference.kind]?.(difference);
  if (found) return t('{field}: {before} → {after}', { field: t(texts[difference.kind]), before: found[0], after: found[1] });
  return t(texts[difference.kind], difference.kind === 'moved' ? { length: length(difference.meters) } : {});
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
    h('h3', { id: 'edit-conflict-title' }, icon('arrow.triangle.branch'),
      t(wasDeleted ? text('‘{name}’ was removed by another person') : text('‘{name}’ was changed by another person'), { name })),
    wasDeleted
      ? h('p', {}, t('Your changes are still here. Create the geofence again with them, or discard them.'))
      : [
        list(t('The other person changed:'), differencesOf(draft.base, theirs.geofence, distance)),
        list(t('You changed:'), differencesOf(draft.base, { ...draft.base, ...mine(draft) }, distance)),
        h('p', { class: 'hint' },
          t('Keep Mine keeps your changes, and uses the other person’s values for the rest. Use Theirs removes your changes; you can restore them.')),
      ],
    h('p', { class: 'actions' },
      button(wasDeleted ? t('Create Again') : t('Keep Mine'), goOnWithMine, { kind: 'primary', isWrite: true, id: 'keep-mine' }),
      button(wasDeleted ? t('Discard Changes') : t('Use Theirs'), useTheirs, { id: 'use-theirs' })));
}

/** The draft in the form of the service, as far as its fields are valid. */
const mine = (draft) => ({ dwell: undefined, ...bodyOf(draft) });

/** A note that the person's own changes were set aside for those of somebody else, with a button to restore them. */
export function setAsideNote() {
  if (!editing.setAside) return null;
  return h('p', { class: 'edit-note', 'data-key': 'set-aside', role: 'status' },
    t('Your changes were removed.'), ' ', button(t('Restore Them'), bringBack, { kind: 'plain', id: 'bring-back' }));
}
