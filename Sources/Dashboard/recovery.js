// What the recovery action of a problem or of a finding does on this page.

import { request } from './api.js';
import { isKnown } from './devices.js';
import { healthOf } from './health-state.js';
import { language } from './preferences.js';
import { startPlan } from './repair.js';
import { askToSignIn } from './session.js';
import { grants } from './simulator-actions.js';
import { app, reload, resource, run, toggle, whyReadOnly } from './state.js';
import { t, text } from './translate.js';

/**
 * @typedef {object} Recovery
 * @property {string} kind The service's name for the action.
 * @property {string} label
 * @property {string} [href] The target of a link.
 * @property {() => void} [action] What the button does.
 * @property {boolean} [isWrite] Whether the action changes something.
 * @property {string[]} [steps] The steps for the person, shown below the button.
 * @property {string} [contact] Where people get help.
 * @property {() => void} [download] Downloads the report for the person who helps.
 * @property {string} [stepsKey] The key of the steps in `app.open`.
 * @property {() => void} [onClose] Called when the person has closed the steps.
 */

/** The problem codes that concern the sign-in to Picket. Other codes concern a foreign service. */
const ownSignIn = new Set(['unauthorized', 'forbidden', 'sessionExpired']);

/** What corrects each part of a sink, as the last part of the address `#/sinks/ID/…`. */
const correctionOf = { parked: 'rejected', discovery: 'filter' };

/** @returns {Recovery} */
export function recoveryOf({ key, problem, standing, device, onRetry, onDismiss }) {
  const { kind, label, contact } = problem.recoveryAction;
  const { family, sinkId, sinkPart } = standing ?? {};
  const id = standing?.deviceId ?? device?.id;
  const stepsKey = `steps ${key}`;
  const again = onRetry ?? (() => tryAgain(key, { family, sinkId, id }));
  const shown = (steps) => withSteps(kind, label, steps, stepsKey, again);
  const sinkLink = (part) => ({ kind, label, href: `#/sinks/${encodeURIComponent(sinkId)}/${part}` });
  switch (kind) {
  case 'retry':
    return { kind, label, isWrite: Boolean(sinkId), action: again };
  case 'signIn':
    if (ownSignIn.has(problem.code)) return { kind, label, action: askToSignIn };
    return sinkId ? sinkLink('sign-in') : shown([t('Correct the user name and password for {peer} where that address is set.', { peer: problem.parameters.peer ?? '' })]);
  case 'fixRegistration':
    return onRetry ? { kind, label, isWrite: true, action: onRetry } : planLink(kind, label, id);
  case 'openSettings':
  case 'grantAlways':
    if (problem.code === 'tlsFailed') return shown([t('Check the certificate of the address, its name and its dates, and the authorities that this machine trusts.')]);
    return onPhone({ kind, label, key, device, settings: settingsOf[problem.code], again });
  case 'editInput':
    if (!standing) return { kind, label, action: focusInput };
    if (sinkId) return sinkLink(correctionOf[sinkPart] ?? 'edit');
    return shown([t('Correct the settings of the app or tracker, or the file, that sent this.'), ...expectation(problem)]);
  case 'contactSupport':
    return {
      ...shown([t('Download the support bundle, read it, and send it to the person who helps you. It contains versions, settings without secrets, and problems, but no positions.')]), contact,
      action: () => toggle(stepsKey), onClose: () => toggle(stepsKey),
      download: () => run(reportKey(key), saveReport),
    };
  default:
    return { kind: 'dismiss', label, isWrite: Boolean(standing), action: onDismiss };
  }
}

/**
 * The recovery action of a finding about a device's registrations; null if a person can do nothing.
 *
 * @param {{key: string, finding: object, device: object, onDone: () => void}} options `onDone` asks for the health again.
 * @returns {Recovery|null}
 */
export function recoveryOfFinding({ key, finding, device, onDone }) {
  const kind = finding.recoveryAction;
  switch (kind) {
  case 'dismiss':
    return null;
  case 'fixRegistration':
    return { kind, label: t('Fix Registration'), isWrite: true, action: () => startPlan(device.id) };
  case 'openSettings':
  case 'grantAlways':
    return onPhone({
      kind, label: kind === 'openSettings' ? t('Open Settings') : t('Allow ‘Always’'), key, device, settings: [finding.setting ?? 'authorizationStatus'], again: onDone,
    });
  case 'editInput':
    return { kind, label: t('Correct the Input'), href: `#/map/geofence/${encodeURIComponent(finding.geofenceId)}/edit` };
  default:
    return { kind, label: t('Try Again'), action: onDone };
  }
}

/** An action with steps. A person who closes the steps has probably done them, so `again` is called. */
function withSteps(kind, label, steps, stepsKey, again) {
  const close = () => {
    toggle(stepsKey);
    again();
  };
  return { kind, label, steps, stepsKey, action: () => (app.open.has(stepsKey) ? close() : toggle(stepsKey)), onClose: close };
}

function planLink(kind, label, id) {
  const href = `#/health/${encodeURIComponent(id)}/plan`;
  // A link to the current address does nothing, so a plan that was closed is requested explicitly.
  return { kind, label, href, action: () => { if (location.hash === href) startPlan(id); } };
}

/** Moves the focus to the refused field; without one, to the back link or the heading. */
const focusInput = () => (document.querySelector('[aria-invalid]') ?? document.querySelector('.back a') ?? document.getElementById('view-title')).focus();

function expectation({ parameters }) {
  const expected = parameters.expectedIn?.[language()] ?? parameters.expected;
  return expected ? [t('{field}: expected {expected}.', { field: parameters.field, expected })] : [];
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

/** The key of the operation of a card's or a row's action. @param {string} key */
export const retryKey = (key) => `retry ${key}`;

/**
 * Repeats what has failed at the source of a problem: sends to the sink again, or repairs the phone. The service repeats everything else by
 * itself; then the page only reloads.
 */
function tryAgain(key, { family, sinkId, id }) {
  run(retryKey(key), async () => {
    const mayChange = whyReadOnly() === null;
    if (sinkId && mayChange) await request('POST', `/v1/sinks/${encodeURIComponent(sinkId)}:resume`);
    if (family === 'registry' && mayChange) await request('POST', `/v1/devices/${encodeURIComponent(id)}/fix-registration`);
    await reload();
  }, 'refreshed');
}

// MARK: Settings of a phone

/** The steps for each setting, in the service's names, by platform. */
const phoneSteps = {
  ios: {
    authorizationStatus: [
      text('On the phone, open Settings > Privacy & Security > Location Services and tap the app.'),
      text('Choose Always, and switch Precise Location on.'),
    ],
    locationServicesEnabled: [
      text('On the phone, open Settings > Privacy & Security > Location Services.'),
      text('Switch Location Services on.'),
    ],
    preciseLocation: [
      text('On the phone, open Settings > Privacy & Security > Location Services and tap the app.'),
      text('Switch Precise Location on.'),
    ],
    backgroundRefresh: [
      text('On the phone, open Settings > General > Background App Refresh.'),
      text('Switch it on in general and for the app.'),
    ],
    batteryOptimized: [
      text('On the phone, open Settings > Battery.'),
      text('Switch Low Power Mode off.'),
    ],
  },
  android: {
    authorizationStatus: [
      text('On the phone, open Settings > Location > App location permissions and tap the app.'),
      text('Choose Allow all the time, and switch Use precise location on.'),
    ],
    locationServicesEnabled: [
      text('On the phone, open Settings > Location.'),
      text('Switch Use location on.'),
    ],
    preciseLocation: [
      text('On the phone, open Settings > Location > App location permissions and tap the app.'),
      text('Switch Use precise location on.'),
    ],
    backgroundRefresh: [
      text('On the phone, open Settings > Apps, tap the app, then Battery.'),
      text('Allow background usage.'),
    ],
    batteryOptimized: [
      text('On the phone, open Settings > Apps, tap the app, then Battery.'),
      text('Choose Unrestricted.'),
    ],
  },
};

/** The settings that a problem concerns, by its code. The device's health has those of other codes. */
const settingsOf = { locationServicesDisabled: ['locationServicesEnabled'], authorizationRequired: ['authorizationStatus'] };

/** The settings that a device's health names. @param {object|null} health Null if it is not known. */
function settingsIn(health) {
  const found = (health?.findings ?? []).map(({ setting }) => setting).filter(Boolean);
  return found.length ? found : ['authorizationStatus'];
}

/**
 * The steps on a phone. On a simulated phone, the action changes the settings itself. Without `settings`, they are those that the device's
 * health names, which is requested only when they are needed.
 */
function onPhone({ kind, label, key, device, settings, again }) {
  const platform = device?.platform === 'android' ? 'android' : 'ios';
  if (device?.registry === 'simulated') {
    return { kind, label, isWrite: true, action: () => grant(key, device.id, settings, again) };
  }
  const stepsKey = `steps ${key}`;
  const wanted = settings ?? settingsIn(app.open.has(stepsKey) && device && isKnown(device.id) ? resource(healthOf(device.id)).data : null);
  const steps = wanted.flatMap((setting) => (phoneSteps[platform][setting] ?? []).map((step) => t(step)));
  return withSteps(kind, label, [...steps, t('Then choose Done below, and Picket checks the phone again.')], stepsKey, again);
}

function grant(key, id, settings, again) {
  run(retryKey(key), async () => {
    for (const setting of settings ?? settingsIn(await request('GET', healthOf(id)))) await request('POST', `/v1/devices/${encodeURIComponent(id)}/registry:simulate`, grants[setting]);
  }).then((done) => { if (done !== undefined) again(); });
}
