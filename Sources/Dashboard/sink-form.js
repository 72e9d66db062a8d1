// The form that adds a sink. A value that the service refuses is explained at its field.

import { request } from './api.js';
import { h } from './dom.js';
import { button, submitButton } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, clearOperation, focusWhenDrawn, operation, reload, run, whyReadOnly } from './state.js';
import { announce } from './shell.js';
import { kindNames } from './sink-state.js';
import { t, text } from './translate.js';

/**
 * The fields of each kind that can be added here, with the service's field names. Every kind also has an `id`.
 */
const kinds = {
  ntfy: [
    { name: 'topic', isRequired: true, example: 'my-family-7f3k' },
    { name: 'server', type: 'url', example: 'https://ntfy.sh' },
    { name: 'token', type: 'password' },
  ],
  webhook: [
    { name: 'url', type: 'url', isRequired: true, example: 'https://example.com/hook' },
    { name: 'signingSecret', type: 'password' },
  ],
  mqtt: [
    { name: 'url', type: 'text', isRequired: true, example: 'mqtts://user:password@example.com' },
    { name: 'topic', example: 'picket/{deviceId}/event' },
  ],
  discovery: [
    { name: 'url', type: 'text', isRequired: true, example: 'mqtt://user:password@homeassistant.local' },
    { name: 'discovery', example: 'homeassistant', value: 'homeassistant' },
    { name: 'base', example: 'picket' },
  ],
};

const kindTexts = {
  ntfy: text('Sends each event as a message to a topic. Anyone who knows the topic’s name can read it.'),
  webhook: text('Sends each event as JSON to a URL.'),
  mqtt: text('Publishes each event to a broker.'),
  discovery: text('Announces devices and geofences to Home Assistant through its MQTT broker.'),
};

/** The labels of the fields, by the service's name. */
const labels = {
  id: text('Name'),
  topic: text('Topic'),
  server: text('Server'),
  token: text('Token'),
  url: text('Address'),
  chat: text('Chat'),
  user: text('User name'),
  password: text('Password'),
  from: text('Sender'),
  signingSecret: text('Signing secret'),
  discovery: text('Discovery prefix'),
  groups: text('Groups of devices'),
  devices: text('Devices'),
  geofences: text('Geofences'),
  base: text('First level of this service’s MQTT topics'),
};

const formKey = 'add sink';
let kind = 'ntfy';

export const isFormOpen = () => app.open.has(formKey);

export function openForm() {
  app.open.add(formKey);
  focusWhenDrawn(`sink-kind-${kind}`);
}

function closeForm() {
  app.open.delete(formKey);
  clearOperation(formKey);
  focusWhenDrawn('add-sink');
}

/** The fields of the selected kind. */
const fields = () => [...kinds[kind], { name: 'id', example: kind === 'discovery' ? 'homeassistant' : kind }];

/** The field that a problem concerns; undefined if it concerns none. */
const wrongField = (problem) => fields().find((field) => field.name === fieldOf(problem));

/** The form; null while it is closed. */
export function sinkForm() {
  if (!isFormOpen()) return null;
  const { isRunning, problem } = operation(formKey);
  const wrong = wrongField(problem);
  return h('form', { id: 'sink-form', class: 'card form', 'data-key': formKey, 'aria-labelledby': 'sink-form-title', onsubmit: submit, novalidate: true },
    h('h2', { id: 'sink-form-title' }, t('New sink')),
    h('fieldset', {}, h('legend', {}, t('Kind')),
      h('div', { class: 'choices' }, Object.keys(kinds).map((name) => h('label', { class: 'choice' },
        h('input', { type: 'radio', id: `sink-kind-${name}`, name: 'kind', value: name, checked: name === kind, onchange: () => choose(name) }),
        t(kindNames[name]))))),
    h('p', { class: 'quiet' }, t(kindTexts[kind])),
    fields().map((spec) => field(spec, spec.name === wrong?.name ? problem : null)),
    problem && !wrong ? problemCard({ key: formKey, problem, onRetry: () => document.getElementById('sink-form').requestSubmit(), onDismiss: () => clearOperation(formKey) }) : null,
    h('p', { class: 'actions' },
      submitButton('save-sink', t('Add Sink'), { isRunning }),
      button(t('Cancel'), closeForm, { id: 'cancel-sink' })));
}

const field = ({ name, type = 'text', isRequired, example, value }, problem) =>
  sinkField({ id: `sink-${name}`, name, type, value, example, isRequired, hint: isRequired ? t('(required)') : t('(optional)'), problem, key: `${kind} ${name}` });

/**
 * A field of a sink with its label and, if the service refuses its value, the reason.
 *
 * @param {{id: string, name: string, type: string, value?: string, example?: string, isRequired?: boolean, hint: string, problem: object|null, key: string}} field
 */
export function sinkField({ id, name, type, value, example, isRequired, hint, problem, key }) {
  return h('div', { class: 'field', 'data-key': key },
    h('label', { for: id }, t(labels[name]), ' ', h('span', { class: 'hint' }, hint)),
    h('input', {
      id, name, type: type === 'url' ? 'text' : type, inputmode: type === 'url' ? 'url' : null, value, placeholder: example,
      autocomplete: type === 'password' ? 'new-password' : 'off', autocapitalize: 'off', spellcheck: 'false',
      required: isRequired, 'aria-invalid': problem ? 'true' : null, 'aria-describedby': problem ? `${id}-error` : null,
    }),
    problem && h('p', { id: `${id}-error`, class: 'field-error', role: 'alert' }, problem.message));
}

function choose(name) {
  kind = name;
  clearOperation(formKey);
}

/** The form's field that a problem concerns. For ntfy, the server and the topic are parts of the service's `url`. */
function fieldOf(problem) {
  const name = problem?.parameters?.field;
  return kind === 'ntfy' && name === 'url' ? 'server' : name;
}

/** The body of the request, with only the fields that were filled in. */
function sinkOf(form) {
  const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  const { kind: chosen, server, topic, ...rest } = values;
  if (chosen === 'ntfy') return { kind: 'ntfy', url: `${(server ?? 'https://ntfy.sh').replace(/\/+$/, '')}/${topic ?? ''}`, ...rest };
  return { kind: chosen === 'discovery' ? 'mqtt' : chosen, ...(topic ? { topic } : {}), ...rest };
}

async function submit(event) {
  event.preventDefault();
  if (whyReadOnly()) return;
  const sink = sinkOf(event.target);
  const made = await run(formKey, () => request('POST', '/v1/sinks', sink), 'saved');
  if (made === undefined) {
    const wrong = wrongField(operation(formKey).problem);
    if (wrong) focusWhenDrawn(`sink-${wrong.name}`);
    return;
  }
  announce(t('Sink ‘{sink}’ added.', { sink: made.id }));
  closeForm();
  reload();
}
