// What the one action of a problem does on this page.

import { request } from './api.js';
import { askToSignIn } from './session.js';
import { reload, run, toggle } from './state.js';
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
 * @property {string} [stepsKey] Under which the steps are open.
 * @property {() => void} [onClose] When the person has done the steps.
 */

/** Whose sign-in is meant: of these codes our own, of the others a foreign service's. */
const ownSignIn = new Set(['unauthorized', 'forbidden', 'sessionExpired']);

/** @returns {Recovery} */
export function recoveryOf({ problem, standing, device, onRetry, onDismiss, stepsKey }) {
  const { kind, label } = problem.recoveryAction;
  const [family, source] = sourceOf(standing);
  const id = source ?? device?.id;
  const shown = (steps, command) => ({
    kind, label, steps, command, stepsKey,
    action: () => toggle(stepsKey),
    onClose: () => { toggle(stepsKey); reload(); },
  });
  switch (kind) {
  case 'retry':
    return { kind, label, isWrite: family === 'sink', action: onRetry ?? (() => tryAgain(standing, family, id)) };
  case 'signIn':
    if (ownSignIn.has(problem.code)) return { kind, label, action: askToSignIn };
    return family === 'sink'
      ? shown([t('steps.sinkToken'), t('steps.sinkResume')], `picket sink edit ${id} --sink-token @FILE`)
      : shown([t('steps.foreignSignIn', { peer: problem.parameters.peer ?? '' })]);
  case 'fixRegistration':
    return onRetry ? { kind, label, isWrite: true, action: onRetry } : { kind, label, href: `#/health/${encodeURIComponent(id)}/plan` };
  case 'openSettings':
  case 'grantAlways':
    return shown(...phoneSteps(problem, device, id));
  case 'editInput':
    if (!standing) return { kind, label, action: focusInput };
    if (family === 'sink') return shown([t('steps.sinkSettings'), t('steps.sinkResume')], `picket sink edit ${id} --help`);
    return shown([t('steps.input'), ...expectation(problem)]);
  case 'contactSupport':
    return shown([t('steps.report')], 'picket report');
  default:
    return { kind: 'dismiss', label, isWrite: Boolean(standing), action: onDismiss };
  }
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

/** Repeats what failed at the source of a standing problem. */
function tryAgain(standing, family, id) {
  run(`retry ${standing.id}`, async () => {
    if (family === 'sink') await request('POST', `/v1/sinks/${encodeURIComponent(id)}:resume`);
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
