// What the recovery action of a problem does on this page.

import { request } from './api.js';
import { language } from './preferences.js';
import { startPlan } from './repair.js';
import { askToSignIn } from './session.js';
import { app, reload, run, toggle, whyReadOnly } from './state.js';
import { t } from './translate.js';

/**
 * @typedef {object} Recovery
 * @property {string} kind The service's name for the action.
 * @property {string} label
 * @property {string} [href] The target of a link.
 * @property {() => void} [action] What the button does.
 * @property {boolean} [isWrite] Whether the action changes something.
 * @property {string[]} [steps] The steps for the person, shown below the button.
 * @property {string} [command] The command to type in a terminal.
 * @property {string} [contact] Where people get help.
 * @property {() => void} [download] Downloads the report for the person who helps.
 * @property {string} [stepsKey] The key of the steps in `app.open`.
 * @property {() => void} [onClose] Called when the person has closed the steps.
 */

/** The problem codes that concern the sign-in to Picket. Other codes concern a foreign service. */
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
    // A person who closes the steps has probably done them, so the failed operation is repeated.
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
      ...shown([t('steps.report')], 'picket problems report'), contact,
      action: () => toggle(stepsKey), onClose: () => toggle(stepsKey),
      download: () => run(reportKey(key), saveReport),
    };
  default:
    return { kind: 'dismiss', label, isWrite: Boolean(standing), action: onDismiss };
  }
}

function planLink(kind, label, id) {
  const href = `#/health/${encodeURIComponent(id)}/plan`;
  // A link to the current address does nothing, so a plan that was closed is requested explicitly.
  return { kind, label, href, action: () => { if (location.hash === href) startPlan(id); } };
}

/** The kind and the id of a problem's source, from `sink/hook` or `registry/anna-phone`. */
export function sourceOf(standing) {
  const source = standing?.source ?? '';
  const slash = source.indexOf('/');
  return slash < 0 ? [source, null] : [source.slice(0, slash), source.slice(slash + 1)];
}

/** Moves the focus to the refused field; without one, to the back link or the heading. */
const focusInput = () => (document.querySelector('[aria-invalid]') ?? document.querySelector('.back a') ?? document.getElementById('view-title')).focus();

function expectation({ parameters }) {
  const expected = parameters.expectedIn?.[language()] ?? parameters.expected;
  return expected ? [t('steps.expected', { field: parameters.field, expected })] : [];
}

/** The key of the operation that creates the report, by the key of a card. @param {string} key */
export const reportKey = (key) => `report ${key}`;

async function saveReport() {
  const report = await request('GET', '/v1/report');
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }));
  link.download = `picket-report-${report.madeAt.slice(0, 10)}.json`;
  link.click();
  // By then the browser has read the data.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * Repeats what has failed at the source of a problem: sends to the sink again, or repairs the phone. The service repeats everything else by
 * itself; then the page only reloads.
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
