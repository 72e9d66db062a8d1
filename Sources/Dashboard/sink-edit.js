// The form that changes the address and the secrets of a sink, and what it announces to Home Assistant.

import { request } from './api.js';
import { h } from './dom.js';
import { button, submitButton } from './parts.js';
import { problemCard } from './problem-card.js';
import { announce } from './shell.js';
import { sinkField } from './sink-form.js';
import { clearOperation, focusWhenDrawn, operation, reload, run, whyReadOnly } from './state.js';
import { t } from './translate.js';

/** The fields that can be changed here, by kind, in the service's names. Kinds that are not listed can only be changed on its machine. */
const fieldsOf = {
  ntfy: ['url', 'token'], gotify: ['url', 'token'], slack: ['url'], mattermost: ['url'], telegram: ['chat', 'token'],
  webhook: ['url', 'token', 'signingSecret'], homeassistant: ['url'], text: ['url', 'token'], email: ['server', 'user', 'password', 'from'],
  mqtt: ['url', 'topic'], positions: ['url', 'token'],
};
const secrets = new Set(['token', 'signingSecret', 'password']);
/** The lists of the filter that limit what a sink announces to Home Assistant. */
const lists = new Set(['groups', 'devices', 'geofences']);

const namesOf = (sink) => [...fieldsOf[sink.kind] ?? [], ...(sink.discovery ? lists : [])];

/** The fields that have to be corrected, by the part of the address that leads to the form. */
const wanted = { 'sign-in': secrets, filter: lists };

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
  const names = namesOf(sink);
  const { isRunning, problem } = operation(key);
  const wrong = names.find((name) => name === problem?.parameters?.field);
  if (focused !== sink.id) {
    focused = sink.id;
    const first = names.find((name) => wanted[part]?.has(name)) ?? names[0];
    // Showing another view moves the focus to its heading first.
    setTimeout(() => focusWhenDrawn(first ? fieldId(first) : 'cancel-edit'));
  }
  const input = (name) => {
    const isSecret = secrets.has(name);
    const isList = lists.has(name);
    return sinkField({
      id: fieldId(name), name, type: isSecret ? 'password' : 'text',
      value: isSecret ? '' : isList ? (sink.filter?.[name] ?? []).join(', ') : sink[name] ?? '',
      hint: isList ? t('Separated by commas; empty for all') : isSecret && sink[name] ? t('Leave empty to keep the current value') : '',
      problem: name === wrong ? problem : null, key: name,
    });
  };
  return h('form', { id: 'sink-edit', class: 'form', 'data-key': key, 'aria-labelledby': 'sink-edit-title', onsubmit: (event) => submit(event, sink, path, names), novalidate: true },
    h('h3', { id: 'sink-edit-title' }, t('Edit sink ‘{sink}’', { sink: sink.id })),
    names.length ? names.map(input) : h('p', {}, t('The settings of this sink can only be changed on the machine of the service.')),
    problem && !wrong ? problemCard({ key, problem, onRetry: () => document.getElementById('sink-edit').requestSubmit(), onDismiss: () => clearOperation(key), level: 3 }) : null,
    h('p', { class: 'actions' },
      names.length ? submitButton('save-edit', t('Save'), { isRunning }) : null,
      button(t('Cancel'), () => leave(sink.id), { id: 'cancel-edit' })));
}

const fieldId = (name) => `edit-${name}`;

/** Forgets that the form was shown, when another view is shown. */
export function leaveSinkEdit() {
  focused = null;
}

function leave(id) {
  clearOperation(keyOf(id));
  location.hash = '#/sinks';
}

async function submit(event, sink, path, names) {
  event.preventDefault();
  if (whyReadOnly() || operation(keyOf(sink.id)).isRunning) return;
  const typed = new FormData(event.target);
  const changed = { ...sink, filter: { ...sink.filter } };
  for (const name of names) {
    const value = typed.get(name).trim();
    if (lists.has(name)) changed.filter[name] = value.split(',').map((one) => one.trim()).filter(Boolean);
    else if (value) changed[name] = value;
    // A secret that was not typed stays: the service knows its mask.
    else if (!secrets.has(name)) delete changed[name];
  }
  const saved = await run(keyOf(sink.id), async () => {
    const stored = await request('PUT', path, changed);
    // A sink that waits for its next attempt tries the corrected settings at once. One that a person has paused stays paused.
    if (!stored.isPaused) await request('POST', `${path}:resume`);
    return stored;
  }, 'saved');
  if (saved === undefined) {
    const wrong = names.find((name) => name === operation(keyOf(sink.id)).problem?.parameters?.field);
    if (wrong) focusWhenDrawn(fieldId(wrong));
    return;
  }
  announce(t('Sink ‘{sink}’ saved.', { sink: sink.id }));
  leave(sink.id);
  reload();
}
