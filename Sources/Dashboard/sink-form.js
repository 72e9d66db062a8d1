// The form that adds a sink. A value that the service refuses is explained at its field.

import { request } from './api.js';
import { h } from './dom.js';
import { button, submitButton } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, clearOperation, focusWhenDrawn, operation, reload, run, whyReadOnly } from './state.js';
import { announce } from './shell.js';
import { sinkKinds } from './sink-kinds.js';
import { t, text } from './translate.js';

/** The choices: kinds, and uses of kinds. Every choice also has the field `id`. */
const choices = sinkKinds.flatMap((kind) => kind.forms.map((form) => ({ ...form, kind: kind.name })));

const formKey = 'add sink';
let choice = choices[0];

export const isFormOpen = () => app.open.has(formKey);

export function openForm() {
  app.open.add(formKey);
  focusWhenDrawn(`sink-kind-${choice.name}`);
}

function closeForm() {
  app.open.delete(formKey);
  clearOperation(formKey);
  focusWhenDrawn('add-sink');
}

/** The fields of the selected choice. */
const fields = () => [...choice.fields, { name: 'id', label: text('Name'), example: choice.exampleId }];

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
      h('div', { class: 'choices' }, choices.map((one) => h('label', { class: 'choice' },
        h('input', { type: 'radio', id: `sink-kind-${one.name}`, name: 'kind', value: one.name, checked: one === choice, onchange: () => choose(one) }),
        t(one.title))))),
    h('p', { class: 'quiet' }, t(choice.about)),
    fields().map((field) => input(field, field.name === wrong?.name ? problem : null)),
    problem && !wrong ? problemCard({ key: formKey, problem, onRetry: () => document.getElementById('sink-form').requestSubmit(), onDismiss: () => clearOperation(formKey) }) : null,
    h('p', { class: 'actions' },
      submitButton('save-sink', t('Add Sink'), { isRunning }),
      button(t('Cancel'), closeForm, { id: 'cancel-sink' })));
}

const input = (field, problem) => sinkField(field, {
  id: `sink-${field.name}`, key: `${choice.name} ${field.name}`, value: field.value, hint: field.isRequired ? t('(required)') : t('(optional)'), problem,
});

/**
 * A field of a sink with its label and, if the service refuses its value, the reason.
 *
 * @param {{name: string, label: string, isSecret?: boolean, example?: string, isRequired?: boolean}} field
 * @param {{id: string, key: string, value?: string, hint: string, problem: object|null}} shown
 */
export function sinkField({ name, label, isSecret, example, isRequired }, { id, key, value, hint, problem }) {
  return h('div', { class: 'field', 'data-key': key },
    h('label', { for: id }, t(label), ' ', h('span', { class: 'hint' }, hint)),
    h('input', {
      id, name, type: isSecret ? 'password' : 'text', inputmode: example?.startsWith('https:') ? 'url' : null, value, placeholder: example,
      autocomplete: isSecret ? 'new-password' : 'off', autocapitalize: 'off', spellcheck: 'false',
      required: isRequired, 'aria-invalid': problem ? 'true' : null, 'aria-describedby': problem ? `${id}-error` : null,
    }),
    problem && h('p', { id: `${id}-error`, class: 'field-error', role: 'alert' }, problem.message));
}

function choose(one) {
  choice = one;
  clearOperation(formKey);
}

/** The name of the form's field that a problem concerns. A problem with the URL concerns the first of its parts. */
function fieldOf(problem) {
  const name = problem?.parameters?.field;
  return name === 'url' ? choice.urlParts[0] ?? name : name;
}

/** The body of the request, with only the fields that were filled in. */
function sinkOf(form) {
  const sink = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));
  sink.kind = choice.kind;
  const parts = choice.urlParts.map((name) => {
    const { isRequired, example } = choice.fields.find((field) => field.name === name);
    const part = sink[name] ?? (isRequired ? '' : example);
    delete sink[name];
    return part.replace(/\/+$/, '');
  });
  if (parts.length) sink.url = parts.join('/');
  return sink;
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
