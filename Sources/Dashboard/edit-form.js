// The form beside the map, with the shape in numbers and all other properties of a geofence.

import { requestTagged } from './api.js';
import { conflictCard, setAsideNote } from './edit-conflict.js';
import { finishDrawing, removeLastCorner, removeSelectedCorner } from './edit-corners.js';
import { radii, smallestForPhones } from './edit-draft.js';
import { fillFields, outlineFields, refusal, textField } from './edit-fields.js';
import { canRemove, fewestCorners } from './edit-outline.js';
import { askAgain, overlapList } from './edit-overlaps.js';
import { save } from './edit-save.js';
import { areCornersHidden, bringIntoView } from './edit-shape.js';
import { adopt, editing, end, noticeTheirs, pathOf, saveKey, type } from './edit-state.js';
import { h } from './dom.js';
import { formatLength } from './format.js';
import { loaded } from './loaded.js';
import { mapState, select } from './map-state.js';
import { button, submitButton } from './parts.js';
import { style } from './preferences.js';
import { problemCard } from './problem-card.js';
import { clearOperation, focusWhenDrawn, operation, resource, whyReadOnly } from './state.js';
import { t } from './translate.js';

/** The content of the panel while a geofence is drawn or edited; otherwise null. */
export function panel() {
  const { id, draft } = editing;
  if (!id && !draft) return null;
  if (!id) return form();
  const entry = resource(taggedKey(id), () => requestTagged('GET', pathOf(id)));
  queueMicrotask(() => look(entry));
  return draft ? form() : [title(t('Edit geofence')), loaded(taggedKey(id), entry, () => null), h('p', { class: 'actions' }, button(t('Cancel'), cancel))];
}

/** The key of a geofence with its version. Other views load the geofence alone, whose key is its address. @param {string} id */
const taggedKey = (id) => `${pathOf(id)} with its tag`;

/** The last processed response. It contains nothing new, and may be older than what a save has returned. */
let seen = null;

/** Processes a loaded geofence: at first, and when somebody else has changed it. */
function look(entry) {
  if (!editing.id || entry.isLoading || entry.loadedAt < editing.begunAt && !entry.isMissing || operation(saveKey).isRunning) return;
  const theirs = entry.isMissing ? { geofence: null, tag: null } : entry.data && { geofence: entry.data.data, tag: entry.data.tag };
  if (!theirs || theirs.geofence && theirs.geofence.id !== editing.id) return;
  const answer = entry.isMissing ? entry.problem : entry.data;
  if (editing.draft && answer === seen) return;
  seen = answer;
  if (editing.draft) noticeTheirs(theirs);
  else if (theirs.geofence) {
    adopt(theirs.geofence, theirs.tag);
    bringIntoView();
  }
}

const title = (text) => h('h2', { id: 'edit-title', tabindex: '-1', 'data-key': 'title' }, text);

function form() {
  const { draft, isDrawing } = editing;
  const { isRunning, problem } = operation(saveKey);
  const isCircle = !draft.typed.rings;
  queueMicrotask(() => {
    fillFields();
    askAgain();
  });
  return h('form', { id: 'edit-form', class: 'edit-form', 'data-key': 'edit-form', 'aria-labelledby': 'edit-title', novalidate: true, onsubmit: submit },
    h('div', { class: 'edit-fields', id: 'edit-fields', 'data-key': 'fields' }, fields(draft, isDrawing, isCircle, problem)),
    saveActions(isRunning));
}

function fields(draft, isDrawing, isCircle, problem) {
  return [
    title(draft.base ? t('Edit geofence') : isCircle ? t('New circle') : t('New polygon')),
    conflictCard(),
    setAsideNote(),
    isDrawing ? h('p', { class: 'edit-hint', 'data-key': 'hint' },
      isCircle ? t('Drag on the map from the center outward, or fill in the fields.') : polygonHint()) : null,
    isCircle ? null : cornerActions(isDrawing),
    textField('name', { isRequired: true }),
    isCircle ? circleFields(draft) : outlineFields(),
    overlapList(),
    activeField(draft),
    h('details', { class: 'edit-more', id: 'edit-more', 'data-key': 'more' }, h('summary', {}, t('More settings')),
      h('div', { class: 'form' },
        textField('priority', { mode: 'numeric', hint: t('Phones monitor only a few geofences. Those with a higher number come first.') }),
        textField('dwell', { mode: 'decimal', hint: t('Empty: dwells are not reported.') }))),
    problem && !refusal() ? problemCard({ key: saveKey, problem, onRetry: save, onDismiss: () => clearOperation(saveKey) }) : null,
  ];
}

const polygonHint = () => (matchMedia('(pointer: coarse)').matches
  ? t('Tap corners on the map, or type them below. The first corner, or Finish, closes the outline.')
  : t('Click corners on the map, or type them below. The first corner, Enter or a double click closes the outline. Backspace removes the last corner, Escape cancels.'));

function circleFields(draft) {
  const radius = draft.shape?.radius;
  return [
    h('div', { class: 'edit-pair', 'data-key': 'pair' },
      textField('latitude', { mode: 'text', isRequired: true }), textField('longitude', { mode: 'text', isRequired: true })),
    textField('radius', {
      mode: 'decimal', isRequired: true,
      hint: radius ? t('On the map: {length}', { length: formatLength(radius, style()) }) : t('{least} to {most}', { least: radii.least, most: radii.most }),
      warning: radius < smallestForPhones
        ? t('Phones do not monitor a region smaller than {least} reliably: they may report it late or never.', {
          least: formatLength(smallestForPhones, style()),
        })
        : null,
    }),
  ];
}

const activeField = (draft) => h('div', { class: 'field', 'data-key': 'active' },
  h('label', { class: 'edit-check' },
    h('input', {
      type: 'checkbox', id: 'edit-isActive', checked: draft.typed.isActive, 'aria-describedby': 'edit-isActive-hint',
      onchange: (event) => type({ isActive: event.target.checked }),
    }),
    t('Active')),
  h('p', { id: 'edit-isActive-hint', class: 'hint' }, t('An inactive geofence is kept, but not monitored.')));

/** Actions for corners that do not need the map. */
function cornerActions(isDrawing) {
  const { draft, corner } = editing;
  if (isDrawing) {
    const count = draft.shape?.parts[0][0].length ?? 0;
    return h('p', { class: 'actions', 'data-key': 'corners' },
      button(t('Finish'), finishDrawing, { id: 'finish-polygon', kind: count >= fewestCorners ? 'primary' : '' }),
      button(t('Remove Last Corner'), removeLastCorner, { id: 'remove-last-corner' }));
  }
  const isRemovable = corner && draft.shape?.parts[corner.part]?.[corner.ring]?.[corner.corner] && canRemove(draft.shape.parts, corner);
  return isRemovable
    ? h('p', { class: 'actions', 'data-key': 'corners' },
      button(t('Remove Corner {number}', { number: corner.corner + 1 }), removeSelectedCorner, { id: 'remove-corner' }))
    : areCornersHidden() ? h('p', { class: 'edit-hint', 'data-key': 'corners' }, t('Zoom in to move single corners.')) : null;
}

function saveActions(isRunning) {
  const reason = whyReadOnly();
  return h('div', { class: 'edit-actions', 'data-key': 'save' },
    reason ? h('p', { class: 'hint', id: 'edit-read-only' }, reason) : null,
    h('p', { class: 'actions' },
      submitButton('save-geofence', t('Save'), { isRunning, reasonId: 'edit-read-only' }),
      button(t('Cancel'), cancel, { id: 'cancel-edit' })));
}

function submit(event) {
  event.preventDefault();
  save();
}

/** Closes the form without saving, and returns to where editing was started. */
function cancel() {
  const { id } = editing;
  end();
  if (id && mapState.geofences.has(id)) select({ kind: 'geofence', id });
  focusWhenDrawn(id ? 'edit-geofence' : 'draw-circle');
}
