// Enrolls a phone: asks for its name and its app, and shows the setup of the app.

import { request } from './api.js';
import { freeId, idOfName } from './device-id.js';
import { devicesPath } from './devices.js';
import { h } from './dom.js';
import { appNames, apps, setupView } from './enroll-setup.js';
import { stopWaiting, waitForPosition } from './enroll-wait.js';
import { heading, submitButton } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, changed, clearOperation, focusWhenDrawn, operation, resource, run, whyReadOnly } from './state.js';
import { t, text } from './translate.js';
import { waitingDevices } from './waiting.js';

const key = 'enroll';
let form = emptyForm();
/** The response of the service, including secrets; null before it arrives. */
let enrollment = null;
/** Counts how often the form was left. A response that arrives after that is not shown. */
let round = 0;

/** The values that the person has typed or chosen (null for none). `accepted` is the id of a waiting or existing device to enroll. */
function emptyForm() {
  return { name: null, id: null, app: null, nameError: null, idError: null, accepted: undefined };
}

export const enrollTitle = () => (enrollment ? t('Set up {name}', { name: enrollment.device.name }) : t('Add a phone'));

/** Discards the secrets that were shown. */
export function leaveEnrollment() {
  if (!enrollment && form.accepted === undefined && form.name === null && form.app === null) return;
  stopWaiting();
  round += 1;
  enrollment = null;
  form = emptyForm();
  clearOperation(key);
}

/**
 * @param {string} [id] The id of a device that is waiting to be accepted or already exists.
 */
export function enrollView(id) {
  if (enrollment && id !== undefined && id !== enrollment.device.id) leaveEnrollment();
  if (enrollment) return setupView(enrollment, form.app, (chosen) => { form.app = chosen; changed(); });
  if (form.accepted !== id) form = { ...emptyForm(), accepted: id };
  return [heading(enrollTitle()), formView()];
}

const devices = () => resource(devicesPath).data?.devices ?? [];
const knownIds = () => new Set(devices().map((device) => device.id));

/** The requested name: the one that was typed, otherwise the device's name. */
const wantedName = () => form.name ?? devices().find((device) => device.id === form.accepted)?.name ?? form.accepted ?? '';

/** The requested id: that of the device to enroll, otherwise the one that was typed, otherwise a free one created from the name. */
const wantedId = () => form.accepted ?? form.id ?? freeId(idOfName(wantedName()), knownIds());

/** The app that was chosen, otherwise the one with which a waiting device reports. */
function wantedApp() {
  const waiting = waitingDevices().find((device) => device.deviceId === form.accepted);
  return form.app ?? (waiting?.protocols[0] === 'osmand' ? 'traccar' : 'ownTracks');
}

/** The errors by field name; null for valid fields. */
function fieldErrors() {
  const { problem } = operation(key);
  const answered = (field) => (problem?.parameters?.field === field ? problem.message : null);
  return { name: form.nameError ?? answered('name'), id: form.idError ?? answered('id') };
}

const appTexts = {
  ownTracks: text('Free, for iPhone and Android. Saves battery: it reports when you move.'),
  traccar: text('Free, for iPhone and Android. Reports at an interval that you choose.'),
  curl: text('A command for a first test, and the address for any app with the OsmAnd protocol.'),
};

function formView() {
  const { isRunning, problem } = operation(key);
  const errors = fieldErrors();
  const idHint = knownIds().has(wantedId())
    ? t('This device already exists: the phone gets another token for it.')
    : t('Used in files, events and commands. It cannot be changed later.');
  return h('form', { id: 'enroll-form', class: 'card form', 'data-key': 'enroll-form', 'aria-labelledby': 'view-title', onsubmit: submit, novalidate: true },
    app.session?.isOpen ? h('p', { class: 'callout', id: 'first-token-note' },
      t('There is no token yet, so the service is open to this machine. When you add the first phone, it closes: you get your own token, and stay signed in here.')) : null,
    input('name', wantedName(), t('Name'), t('Anna’s phone'), errors.name, null, (text) => { form.name = text; }),
    input('id', wantedId(), t('Device id'), '', errors.id, idHint, (text) => { form.id = text; }, form.accepted !== undefined),
    h('fieldset', {}, h('legend', {}, t('App on the phone')),
      h('div', { class: 'choices' }, apps.map((name) => h('label', { class: 'choice', 'data-key': name },
        h('input', { type: 'radio', name: 'app', value: name, checked: name === wantedApp(), onchange: () => { form.app = name; changed(); } }),
        t(appNames[name])))),
      h('p', { class: 'hint' }, t(appTexts[wantedApp()]))),
    problem && !problem.parameters?.field ? problemCard({ key, problem, onRetry: () => document.getElementById('enroll-form').requestSubmit(), onDismiss: () => clearOperation(key) }) : null,
    h('p', { class: 'actions' },
      submitButton('enroll-submit', t('Show the Settings'), { isRunning }),
      h('a', { class: 'button', href: '#/phones' }, t('Cancel'))));
}

function input(name, value, label, example, error, hint, onText, isFixed = false) {
  const id = `enroll-${name}`;
  const element = h('input', {
    id, name, type: 'text', placeholder: example, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', readonly: isFixed,
    'aria-invalid': error ? 'true' : null, 'aria-describedby': error || hint ? `${id}-hint` : null,
    oninput: (event) => {
      onText(event.target.value);
      form.nameError = form.idError = null;
      showMadeId();
      changed();
    },
  });
  // Only the person changes the text. An id created from the name is updated by `showMadeId`.
  element.setAttribute('value', value);
  return h('div', { class: 'field', 'data-key': name },
    h('label', { for: id }, label), element,
    error ? h('p', { id: `${id}-hint`, class: 'field-error', role: 'alert' }, error) : hint ? h('p', { id: `${id}-hint`, class: 'hint' }, hint) : null);
}

/** Shows the id created from the name, unless the person has typed one. */
function showMadeId() {
  const field = document.getElementById('enroll-id');
  if (form.id === null && form.accepted === undefined && field) field.value = wantedId();
}

async function submit(event) {
  event.preventDefault();
  if (whyReadOnly()) return;
  const name = wantedName().trim();
  const id = wantedId().trim();
  form.nameError = name ? null : t('Enter a name for the phone.');
  form.idError = name && !id ? t('Enter an id: the name contains no letter or digit for it.') : null;
  changed();
  if (!form.nameError && !form.idError) {
    form.app = wantedApp();
    // An existing device keeps its name unless another one was typed.
    const body = form.name === null ? {} : { name };
    const begun = round;
    const made = await run(key, () => request('POST', `/v1/devices/${encodeURIComponent(id)}:enroll`, body), 'saved');
    // The first token is shown even if the person has left the form, because signing in requires it.
    if (made?.administrator && begun !== round) location.hash = '#/phones/add';
    if (made && (begun === round || made.administrator)) show(made);
  }
  const errors = fieldErrors();
  if (errors.name || errors.id) focusWhenDrawn(errors.name ? 'enroll-name' : 'enroll-id');
}

function show(made) {
  enrollment = made;
  // The service requires tokens from now on. The response has signed in this page with the new token.
  if (made.administrator) app.session = { ...app.session, role: 'admin', name: made.administrator.name, isOpen: false };
  waitForPosition(made);
  window.scrollTo(0, 0);
  focusWhenDrawn('view-title', { preventScroll: true });
}
