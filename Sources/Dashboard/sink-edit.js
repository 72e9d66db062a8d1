// The form that changes the address and the secrets of a sink, and what it announces to Home Assistant.

import { request } from './api.js';
import { h } from './dom.js';
import { button, submitButton } from './parts.js';
import { problemCard } from './problem-card.js';
import { announce } from './shell.js';
import { sinkField } from './sink-form.js';
import { kindOf } from './sink-state.js';
import { clearOperation, focusWhenDrawn, operation, reload, run, whyReadOnly } from './state.js';
import { t, text } from './translate.js';

/** The lists of the filter that limit what a sink announces to Home Assistant. */
const lists = [
  { name: 'groups', label: text('Groups of devices'), isList: true },
  { name: 'devices', label: text('Devices'), isList: true },
  { name: 'geofences', label: text('Geofences'), isList: true },
];

/** The fields that can be changed here. Sinks without fields can only be changed on the service's machine. */
const fieldsOf = (sink) => [...kindOf(sink)?.editable ?? [], ...(sink.discovery ? lists : [])];

/** Whether a field has to be corrected, by the part of the address that leads to the form. */
const isWanted = { 'sign-in': (field) => field.isSecret, filter: (field) => field.isList };

const keyOf = (id) => `edit ${id}`;

/** The form that got the focus last, so that it gets it only once. */
let focused = null;

/**
 * @param {object} sink
 * @param {string} path The address of the sink.
 * @param {'edit'|'sign-in'|'filter'} part What has to be corrected.
 */
export function sinkEditForm(sink, path, part) {
  const key = keyOf(sink.id);
  const fields = fieldsOf(sink);
  const { isRunning, problem } = operation(key);
  const wrong = wrongField(fields, problem);
  if (focused !== sink.id) {
    focused = sink.id;
    const first = fields.find((field) => isWanted[part]?.(field)) ?? fields[0];
    // Showing another view moves the focus to its heading first.
    setTimeout(() => focusWhenDrawn(first ? fieldId(first.name) : 'cancel-edit'));
  }
  const input = (field) => {
    const { name, isSecret, isList } = field;
    return sinkField(field, {
      id: fieldId(name), key: name, problem: field === wrong ? problem : null,
      value: isSecret ? '' : isList ? (sink.filter?.[name] ?? []).join(', ') : sink[name] ?? '',
      hint: isList ? t('Separated by commas; empty for all') : isSecret && sink[name] ? t('Leave empty to keep the current value') : '',
    });
  };
  return h('form', { id: 'sink-edit', class: 'form', 'data-key': key, 'aria-labelledby': 'sink-edit-title', onsubmit: (event) => submit(event, sink, path, fields), novalidate: true },
    h('h3', { id: 'sink-edit-title' }, t('Edit sink ‘{sink}’', { sink: sink.id })),
    fields.length ? fields.map(input) : h('p', {}, t('The settings of this sink can only be changed on the machine of the service.')),
    problem && !wrong ? problemCard({ key, problem, onRetry: () => document.getElementById('sink-edit').requestSubmit(), onDismiss: () => clearOperation(key), level: 3 }) : null,
    h('p', { class: 'actions' },
      fields.length ? submitButton('save-edit', t('Save'), { isRunning }) : null,
      button(t('Cancel'), () => leave(sink.id), { id: 'cancel-edit' })));
}

const fieldId = (name) => `edit-${name}`;

/** The field that a problem concerns; undefined if it concerns none. */
const wrongField = (fields, problem) => fields.find(({ name }) => name === problem?.parameters?.field);

/** Forgets that the form was shown, when another view is shown. */
export function leaveSinkEdit() {
  focused = null;
}

function leave(id) {
  clearOperation(keyOf(id));
  location.hash = '#/sinks';
}

async function submit(event, sink, path, fields) {
  event.preventDefault();
  if (whyReadOnly() || operation(keyOf(sink.id)).isRunning) return;
  const typed = new FormData(event.target);
  const changed = { ...sink, filter: { ...sink.filter } };
  for (const { name, isSecret, isList } of fields) {
    const value = typed.get(name).trim();
    if (isList) changed.filter[name] = value.split(',').map((one) => one.trim()).filter(Boolean);
    else if (value) changed[name] = value;
    // A secret that was not typed stays: the service knows its mask.
    else if (!isSecret) delete changed[name];
  }
  const saved = await run(keyOf(sink.id), async () => {
    const stored = await request('PUT', path, changed);
    // A sink that waits for its next attempt tries the corrected settings at once. One that a person has paused stays paused.
    if (!stored.isPaused) await request('POST', `${path}:resume`);
    return stored;
  }, 'saved');
  if (saved === undefined) {
    const wrong = wrongField(fields, operation(keyOf(sink.id)).problem);
    if (wrong) focusWhenDrawn(fieldId(wrong.name));
    return;
  }
  announce(t('Sink ‘{sink}’ saved.', { sink: sink.id }));
  leave(sink.id);
  reload();
}
