// What the one action of a problem does on this page.

import { request } from './api.js';
import { startPlan } from './repair.js';
import { askToSignIn } from './session.js';
import { app, reload, run, toggle, whyReadOnly } from './state.js';
import { t } from './translate.js';

/**
 * @typedef {object} Recovery
 * @property {string} kind The service's name of the action.
 * @property {string} label
 * @property {string} [href] Where it leads.
 * @property {() => void} [action] What the button does.
 * @property {boolean} [isWrite] Whether that changes something.
 * @property {string[]} [steps] What the person does, shown below the button.
 * @property {string} [command] What the person types in a terminal.
 * @property {string} [contact] Where people get help.
 * @property {() => void} [download] Saves the report for whoever helps.
 * @property {string} [stepsKey] Under which the steps are open.
 * @property {() => void} [onClose] When the person has done the steps.
 */

/** Whose sign-in is meant: of these codes our own, of the others a foreign service's. */
const ownSignIn = new Set(['unauthorized', 'forbidden', 'sessionExpired']);

/** @returns {Recovery} */
export function recoveryOf({ key, problem, standing, device, onRetry, onDismiss }) {
  const { kind, label, contact } = problem.recoveryAction;
  const [family, source] = sourceOf(standing);
  const id = source ?? device?.id;
  const stepsKey = `steps ${key}`;
  const again = onRetry ?? (() => tryAgain(key, family, id));
  const close = () => {
    toggle(stepsKey);
    again();
  };
  const shown = (steps, command) => ({
    kind, label, steps, command, stepsKey,
    // Whoever closes the steps has done them: what failed is tried again, so that a phone is asked again.
    action: () => (app.open.has(stepsKey) ? close() : toggle(stepsKey)),
    onClose: close,
  });
  switch (kind) {
  case 'retry':
    return { kind, label, isWrite: family === 'sink', action: again };
  case 'signIn':
    if (ownSignIn.has(problem.code)) return { kind, label, action: askToSignIn };
    return family === 'sink'
      ? shown([t('steps.sinkToken'), t('steps.sinkResume')], `picket sink edit ${id} --sink-token @FILE`)
      : shown([t('steps.foreignSignIn', { peer: problem.parameters.peer ?? '' })]);
  case 'fixRegistration':
    return onRetry ? { kind, label, isWrite: true, action: onRetry } : planLink(kind, label, id);
  case 'openSettings':
  case 'grantAlways':
    return shown(...phoneSteps(problem, device, id));
  case 'editInput':
    if (!standing) return { kind, label, action: focusInput };
    if (family === 'sink') return shown([t('steps.sinkSettings'), t('steps.sinkResume')], `picket sink edit ${id} --help`);
    return shown([t('steps.input'), ...expectation(problem)]);
  case 'contactSupport':
    return {
      ...shown([t('steps.report')], 'picket report'), contact,
      action: () => toggle(stepsKey), onClose: () => toggle(stepsKey),
      download: () => run(reportKey(key), saveReport),
    };
  default:
    return { kind: 'dismiss', label, isWrite: Boolean(standing), action: onDismiss };
  }
}

function planLink(kind, label, id) {
  const href = `#/health/${encodeURIComponent(id)}/plan`;
  // A link to where the page is already does nothing: a plan that was closed is asked for again.
  return { kind, label, href, action: () => { if (location.hash === href) startPlan(id); } };
}

/** The kind of thing that a standing problem came from, and its id: `sink/hook`, `registry/anna-phone`. */
export function sourceOf(standing) {
  const source = standing?.source ?? '';
  const slash = source.indexOf('/');
  return slash < 0 ? [source, null] : [source.slice(0, slash), source.slice(slash + 1)];
}

/** Puts the focus where the input is: at the field that was refused, else at the way back to what there is. */
const focusInput = () => (document.querySelector('[aria-invalid]') ?? document.querySelector('.back a') ?? document.getElementById('view-title')).focus();

function expectation({ parameters }) {
  return parameters.expected ? [t('steps.expected', { field: parameters.field, expected: parameters.expected })] : [];
}

/** Of the operation that makes the report, by a card's key. @param {string} key */
export const reportKey = (key) => `report ${key}`;

async function saveReport() {
  const report = await request('GET', '/v1/report');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }));
  link.download = `picket-report-${report.madeAt.slice(0, 10)}.json`;
  link.click();
  // The browser has the text by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Repeats what failed at the source of a standing problem: sends to the sink, asks the phone. The service repeats by itself what a page
 * cannot ask for; then the page looks whether it has worked.
 */
function tryAgain(key, family, id) {
  run(`retry ${key}`, async () => {
    const mayChange = whyReadOnly() === null;
    if (family === 'sink' && mayChange) await request('POST', `/v1/sinks/${encodeURIComponent(id)}:resume`);
    if (family === 'registry' && mayChange) await request('POST', `/v1/devices/${encodeURIComponent(id)}/fix-registration`);
    await reload();
  }, 'refreshed');
}

function phoneSteps(problem, device, id) {
  if (problem.code === 'tlsFailed') return [[t('steps.certificate')]];
  const platform = device?.platform === 'android' ? 'android' : 'ios';
  const isLocation = problem.code === 'locationServicesDisabled';
  const topic = isLocation ? 'location' : 'always';
  const steps = [t(`steps.${platform}.${topic}.1`), t(`steps.${platform}.${topic}.2`), t('steps.done')];
  if (device?.registry !== 'simulated') return [steps];
  return [steps, isLocation ? `picket registry location on --device ${id}` : `picket registry authorize always --device ${id}`];
}
