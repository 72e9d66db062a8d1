// Signing in and out. The form is shown over the page, which does not change, so that no input is lost.

import { request, RequestFailed } from './api.js';
import { h, patchChildren } from './dom.js';
import { forgetEmergencies } from './emergencies.js';
import { vibrate } from './haptics.js';
import { submitButton } from './parts.js';
import { app, changed, forgetAll } from './state.js';
import { t } from './translate.js';

let dialog = null;
let problem = null;
let isRunning = false;
let afterSignIn = () => {};

/** @param {() => void} callback Called when a person has signed in. */
export const onSession = (callback) => { afterSignIn = callback; };

/**
 * Determines who is signed in. A response of 401 shows the form through `observeRequests`.
 *
 * @param {() => void} begin Called when a session has begun, or if the service is not reachable and will be tried again.
 */
export async function startSession(begin) {
  try {
    app.session = await request('GET', '/v1/session');
    changed();
  } catch (failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    if (failure.status === 401) return;
  }
  begin();
}

/** Shows the sign-in form. */
export function askToSignIn() {
  if (!dialog) {
    // Without a session nothing works, so Escape must not close the form.
    dialog = h('dialog', { id: 'sign-in', class: 'dialog', 'aria-labelledby': 'sign-in-title', oncancel: (event) => event.preventDefault() });
    document.body.append(dialog);
  }
  if (dialog.open) return;
  draw();
  dialog.showModal();
  document.getElementById('sign-in-token').focus();
}

function draw() {
  patchChildren(dialog, [
    h('form', { onsubmit: submit, novalidate: true },
      h('h1', { id: 'sign-in-title' }, t('Sign in to Picket')),
      h('p', { class: 'quiet' }, t('Use a token of this service. Everything that you typed on the page is kept.')),
      // Password managers store a password together with a user name.
      h('input', { type: 'text', name: 'username', autocomplete: 'username', value: 'picket', hidden: true }),
      h('div', { class: 'field' },
        h('label', { for: 'sign-in-token' }, t('Token')),
        h('input', {
          id: 'sign-in-token', name: 'token', type: 'password', autocomplete: 'current-password', autocapitalize: 'off', spellcheck: 'false',
          'aria-describedby': problem ? 'sign-in-error' : 'sign-in-hint', 'aria-invalid': problem ? 'true' : null,
        }),
        problem
          ? h('p', { id: 'sign-in-error', class: 'field-error', role: 'alert' }, problem.message)
          : h('p', { id: 'sign-in-hint', class: 'hint' }, t('To create one, run ‘picket token create’ in a terminal.'))),
      submitButton('sign-in-submit', t('Sign In'), { isWrite: false, isRunning, kind: 'wide' })),
  ]);
}

async function submit(event) {
  event.preventDefault();
  if (isRunning) return;
  const field = document.getElementById('sign-in-token');
  problem = null;
  isRunning = true;
  draw();
  try {
    app.session = await request('POST', '/v1/session', { token: field.value }, { isSignIn: true });
    field.value = '';
    dialog.close();
    vibrate('signedIn');
    afterSignIn();
  } catch (failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    problem = failure.problem;
    vibrate('error');
    field.focus();
  } finally {
    isRunning = false;
    draw();
    changed();
  }
}

/** Ends the session, and discards the loaded data. */
export async function signOut() {
  await request('DELETE', '/v1/session');
  app.session = null;
  forgetAll();
  forgetEmergencies();
  patchChildren(document.getElementById('main'), []);
  // This request is refused, so the page stops following the service and asks for a token.
  await startSession(() => {});
}
