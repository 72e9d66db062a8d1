// Fix Registration Issues: shows the plan, then the progress of the repair, then a comparison of before and after. The plan of a phone whose app
// makes the calls itself comes with steps for the person instead.

import { request } from './api.js';
import { h, icon } from './dom.js';
import { healthOf } from './health-state.js';
import { button, number, section, since } from './parts.js';
import { phrase } from './phrase.js';
import { beginProgress, endProgress, stepsSoFar, withProgress } from './repair-progress.js';
import { app, clearFailures, focusWhenDrawn, operation, reload, resource, run } from './state.js';
import { t, text, tn } from './translate.js';

/** The displayed plans by device. */
const plans = new Map();
/** The displayed reports by device, each with the health that was shown when it arrived, which is older than the report. */
const reports = new Map();

/** @param {string} id */
export const isPlanShown = (id) => plans.has(id);

const path = (id, query) => `/v1/devices/${encodeURIComponent(id)}/fix-registration${query}`;

/** Requests and shows the repair plan of a device. @param {string} id */
export async function startPlan(id) {
  clearOutcomes(id);
  const plan = await run(`plan ${id}`, () => request('POST', path(id, '?dryRun=true')));
  if (plan === undefined) return;
  plans.set(id, plan);
  focusWhenDrawn('repair-plan-title');
}

async function repair(id) {
  clearOutcomes(id);
  beginProgress(id);
  const report = await run(`repair ${id}`, () => request('POST', path(id, '')), 'saved');
  endProgress(id);
  if (report === undefined) return;
  plans.delete(id);
  reports.set(id, { report, before: resource(healthOf(id)).data });
  focusWhenDrawn('repair-report-title');
  reload();
}

function close(id) {
  plans.delete(id);
  reports.delete(id);
  focusWhenDrawn('fix-registration');
}

/**
 * The plan or the report of a device's repair; null if there is none.
 *
 * @param {string} id
 * @param {string} system
 * @param {() => void} onDone Asks for the health again.
 */
export function repairPanel(id, system, onDone) {
  if (reports.has(id)) return report(id, reports.get(id).report, system);
  if (!plans.has(id)) return null;
  return plans.get(id).waitsForApp ? appSteps(id, plans.get(id), onDone) : plan(id, plans.get(id));
}

/** What a person does where only the app can register regions. */
function appSteps(id, { operations }, onDone) {
  const reportedAt = resource(healthOf(id)).data?.reportedAt;
  return panel('repair-plan', t('The app carries out these operations'),
    h('div', { class: 'steps' }, h('ol', {},
      h('li', {}, t('Open the app on the phone. It carries out these operations the next time it reports its regions.')),
      h('li', {}, t('Then choose Done, and Picket checks again.')))),
    reportedAt ? h('p', { class: 'meta' }, t('The app last reported its regions'), ' ', since(reportedAt)) : null,
    h('p', { class: 'actions' },
      button(t('Done'), () => { close(id); onDone(); }, { kind: 'primary', id: 'app-done' }),
      button(t('Close'), () => close(id), { id: 'close-repair' })),
    h('h3', {}, tn(operations.length, '{count} operation', '{count} operations')),
    steps(operations));
}

function plan(id, { operations }) {
  const isRunning = operation(`repair ${id}`).isRunning;
  const count = operations.length;
  return panel('repair-plan', isRunning ? t('Repair running') : tn(count, 'Plan: {count} operation', 'Plan: {count} operations'),
    isRunning ? null : h('p', {}, count
      ? tn(count, 'The repair will do this. Nothing has been changed yet.',
        'The repair will do this, in this order. Nothing has been changed yet.')
      : t('There is nothing to repair.')),
    h('p', { class: 'actions' },
      count ? button(t('Run Repair'), () => repair(id),
        { kind: 'primary', id: 'run-repair', isWrite: true, isRunning, iconName: isRunning ? 'refresh' : undefined }) : null,
      isRunning ? null : button(count ? t('Cancel') : t('Close'), () => close(id), { id: 'close-repair' })),
    isRunning ? progress(id, operations) : count ? steps(operations) : null);
}

/** The operations during the repair. Without the live stream, the progress is unknown. */
function progress(id, operations) {
  const isTold = app.connection?.stream === 'open';
  const rows = isTold ? withProgress(operations, stepsSoFar(id)) : operations.map((step) => ({ ...step, outcome: 'running' }));
  const done = rows.filter(({ outcome }) => outcome === 'done' || outcome === 'failed').length;
  const text = tn(rows.length, '{done} of {count} operation tried', '{done} of {count} operations tried', { done });
  return [
    h('p', { id: 'repair-progress', role: 'status' }, text),
    h('progress', { max: rows.length, value: isTold ? done : null, 'aria-labelledby': 'repair-progress' }),
    steps(rows),
  ];
}

function report(id, found, system) {
  return panel('repair-report', t('Repair finished'),
    h('p', { role: 'status' }, tn(found.calls, '{count} operation', '{count} operations')),
    comparison(found, system),
    found.left.length
      ? [h('h3', {}, t('Remaining findings ({count})', { count: found.left.length })),
        h('ul', { class: 'list flat' }, found.left.map((item) => h('li', { class: 'row' }, h('span', { class: 'row-main' },
          h('span', { class: 'row-title' }, h('bdi', {}, item.name ?? item.geofenceId ?? t('Whole device'))), h('span', { class: 'quiet' }, item.cause)))))]
      : null,
    h('p', { class: 'actions' }, button(t('Close'), () => close(id), { id: 'close-repair' })),
    steps(found.operations));
}

/** Clears the outcomes of earlier operations of a device when another one starts. @param {string} id The device. */
export function clearOutcomes(id) {
  reports.delete(id);
  clearFailures(['refresh', 'plan', 'repair', 'simulate'].map((name) => `${name} ${id}`));
}

/**
 * Clears a report when the device's health has changed since, and the steps for an app's phone when the phone is healthy.
 *
 * @param {string} id The device.
 * @param {object} health
 */
export function compareWithReport(id, health) {
  if (health.isHealthy && plans.get(id)?.waitsForApp) plans.delete(id);
  const shown = reports.get(id);
  if (!shown?.report.after || health === shown.before) return;
  if (health.statusSummary !== shown.report.after.statusSummary) reports.delete(id);
}

const panel = (id, title, ...content) => {
  const made = section(id, title, h('div', { class: 'card' }, content));
  made.querySelector('h2').setAttribute('tabindex', '-1');
  return made;
};

const operationTexts = {
  start: text('Register {region}'),
  stop: text('Remove {region}'),
  requestState: text('Request the state of {region}'),
};

const outcomeNames = { planned: text('Planned'), running: text('Running'), done: text('Done'), failed: text('Failed') };
const outcomeIcons = { planned: 'hourglass', running: 'refresh', done: 'checkmark.circle', succeeded: 'checkmark.circle' };

/** Operations with their reasons and outcomes. @param {object[]} operations */
export function steps(operations) {
  return h('ol', { class: 'list flat steps-list' }, operations.map((step) => h('li', { class: 'row', 'data-outcome': step.outcome },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' },
        phrase(operationTexts[step.operation] ?? `${step.operation} {region}`, { region: h('bdi', {}, step.name ?? step.identifier) })),
      h('span', { class: 'quiet' }, step.error ?? step.reason)),
    h('span', { class: 'row-state outcome' }, icon(outcomeIcons[step.outcome] ?? 'exclamationmark.triangle', step.outcome === 'running' ? 'turning' : ''),
      t(outcomeNames[step.outcome] ?? step.outcome)))));
}

/** The values before and after side by side. @param {object} found A report. */
export function comparison({ before, after }, system) {
  const rows = [
    [t('Status'), (health) => health.statusSummary],
    [t('Registered with {system}', { system }), (health) => number(health.registeredWithOS.length)],
    [t('Missing'), (health) => number(health.missingFromOS.length)],
    [t('Orphaned'), (health) => number(health.orphanedInOS.length)],
  ];
  return h('table', { class: 'comparison' },
    h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col' }, t('Before')), h('th', { scope: 'col' }, t('After')))),
    h('tbody', {}, rows.map(([name, value]) => h('tr', {}, h('th', { scope: 'row' }, name), h('td', {}, value(before)), h('td', {}, value(after))))));
}
