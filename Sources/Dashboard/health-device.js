// The health of one device: the regions that its system watches, the findings, and the repair.

import { h, icon } from './dom.js';
import { deviceOf } from './devices.js';
import { formatCoordinate, formatLength } from './format.js';
import { findings, findingAction } from './health-findings.js';
import { healthOf, lookOf, registeredCount, rowsOf, settingToChange, systemName } from './health-state.js';
import { explanation } from './health-explanation.js';
import { loaded } from './loaded.js';
import { badge, button, deviceName, empty, heading, number, section, since } from './parts.js';
import { style } from './preferences.js';
import { operationProblem } from './problem-card.js';
import { problemList, problemsPath } from './problems.js';
import { clearOutcomes, compareWithReport, isPlanShown, repairPanel, startPlan } from './repair.js';
import { history } from './repair-history.js';
import { simulator } from './simulator.js';
import { app, operation, reload, resource, run, toggle } from './state.js';
import { t, text } from './translate.js';

/** The device whose plan the address has already requested. */
let askedFor = null;

/**
 * @param {string} id
 * @param {boolean} wantsPlan Whether the address requests the repair plan.
 */
export function view(id, wantsPlan) {
  const path = healthOf(id);
  const device = deviceOf(id);
  const health = resource(path);
  if (wantsPlan && askedFor !== id) {
    askedFor = id;
    queueMicrotask(() => startPlan(id));
  } else if (!wantsPlan) {
    askedFor = null;
  }
  return [
    h('p', { class: 'back' }, h('a', { href: '#/health' }, t('All devices'))),
    heading(deviceName(device.name, health.data?.registry ?? device.registry)),
    loaded(path, health, (data) => content(id, data)),
  ];
}

function content(id, health) {
  if (health.registry === 'none') return empty(t('This device is not managed: it has no registry.'));
  compareWithReport(id, health);
  const system = systemName(health.platform);
  const look = lookOf(health);
  const problems = problemsOf(id);
  // If a problem card is shown above, it already has a button for the same action.
  const isMain = look.name === 'unhealthy' && problems.length === 0;
  return [
    h('div', { class: 'summary', id: 'health-summary', role: 'status', 'data-state': look.name },
      badge(`${look.tone} large`, look.icon, health.statusSummary),
      health.reportedAt ? h('p', { class: 'meta' }, t('The app last reported its regions'), ' ', since(health.reportedAt)) : null),
    h('dl', { class: 'counts' },
      count('count-registered', t('Registered with {system}', { system }), registeredCount(health, number)),
      count('count-active', t('Active in App'), number(health.savedCount))),
    problems.length ? problemList(problems) : null,
    actions(id, health, isMain),
    operationProblem(`refresh ${id}`, () => refresh(id)),
    operationProblem(`plan ${id}`, () => startPlan(id)),
    operationProblem(`repair ${id}`, () => startPlan(id)),
    repairPanel(id, system, () => refresh(id)),
    health.registry === 'simulated' ? simulator(id, system) : null,
    geofenceSection('missing', id, health, system),
    geofenceSection('orphaned', id, health, system),
    findings(health, () => refresh(id)),
    explanation(id, health, system),
    regions(id, system),
    history(id),
  ];
}

const count = (id, name, value) => h('div', {}, h('dt', {}, name), h('dd', { id }, value));

/** The open problems of the device. */
const problemsOf = (id) => (resource(problemsPath).data?.problems ?? []).filter((standing) => standing.deviceId === id);

/** The buttons of a device. The main one is what helps: a repair does not while the phone has to allow something. */
function actions(id, health, isMain) {
  const setting = isMain ? settingToChange(health) : undefined;
  const allow = setting && findingAction(health, setting, { scope: 'main', kind: 'primary', onDone: () => refresh(id) });
  return [
    h('p', { class: 'actions', 'data-key': 'actions' },
      allow?.button,
      button(t('Refresh'), () => refresh(id), { iconName: 'refresh', id: 'refresh', isRunning: operation(`refresh ${id}`).isRunning }),
      button(t('Fix Registration Issues'), () => startPlan(id), {
        iconName: 'wrench', kind: isMain && !setting && !isPlanShown(id) ? 'primary' : '', id: 'fix-registration', isWrite: true, isRunning: operation(`plan ${id}`).isRunning,
      })),
    allow?.steps,
  ];
}

function refresh(id) {
  clearOutcomes(id);
  run(`refresh ${id}`, () => reload((path) => path.includes(`/devices/${encodeURIComponent(id)}/`)), 'refreshed');
}

const texts = {
  missing: {
    title: text('Missing from {system} ({count})'),
    unnamed: text('Unknown'),
    state: text('Not Registered'),
    footer: text('These geofences are active but not registered with {system}. Fix Registration Issues registers them.'),
  },
  orphaned: {
    title: text('Orphaned in {system} ({count})'),
    unnamed: text('Unknown Region'),
    state: text('Orphaned'),
    footer: text('These regions are registered with {system} but match no geofence. They are perhaps from an earlier version. Fix Registration Issues removes them.'),
  },
};

function geofenceSection(kind, id, health, system) {
  const rows = rowsOf(health, kind);
  if (rows.length === 0) return null;
  const { title, unnamed, state, footer } = texts[kind];
  return section(kind, t(title, { system, count: rows.length }),
    h('ul', { class: 'list' }, rows.map((row) => {
      // The footer names the repair. Only another action needs a button.
      const isRepaired = (row.finding?.recoveryAction ?? 'fixRegistration') === 'fixRegistration';
      const action = isRepaired ? null : findingAction(health, row.finding, { scope: kind, onDone: () => refresh(id) });
      return h('li', { class: 'row', 'data-key': row.id },
        icon(kind === 'missing' ? 'exclamationmark.triangle' : 'questionmark.circle', kind === 'missing' ? 'warning' : 'neutral'),
        h('span', { class: 'row-main' },
          h('span', { class: 'row-title' }, h('bdi', {}, row.name ?? t(unnamed))),
          h('span', { class: 'identifier' }, row.id)),
        h('span', { class: kind === 'missing' ? 'row-state warning-text' : 'row-state quiet' }, t(state)),
        action?.button,
        action ? h('div', { class: 'row-steps' }, action.steps) : null);
    })),
    t(footer, { system }));
}

const states = { inside: text('Inside'), outside: text('Outside'), unknown: text('State unknown') };

const verdictNames = {
  right: text('Correct'),
  wrong: text('Wrong'),
  unwanted: text('Not needed'),
  foreign: text('Foreign'),
};

const verdicts = { right: ['good', 'checkmark.circle'], foreign: ['neutral', 'questionmark.circle'] };

function regions(id, system) {
  const path = `/v1/devices/${encodeURIComponent(id)}/registry`;
  const registry = resource(path);
  if (registry.isMissing) return null;
  if (registry.problem?.code === 'registryUnavailable') return section('regions', t('Registered Regions'), empty(registry.problem.message));
  return section('regions', t('Registered Regions'), loaded(path, registry, (data) => (data.regions.length
    ? regionList(id, data.regions)
    : empty(t('No region is registered.')))), registry.data?.isListed === false
      ? t('{system} does not list its regions. These are the regions that Picket registered.', { system }) : undefined);
}

/** The number of regions that are shown at first. */
const fewRegions = 8;

/** The regions with findings first. The rest of a long list is shown on request. */
function regionList(id, all) {
  const key = `regions ${id}`;
  const ordered = [...all].sort((a, b) => Number(a.verdict === 'right') - Number(b.verdict === 'right'));
  const wrong = ordered.filter(({ verdict }) => verdict !== 'right').length;
  const isShort = all.length <= fewRegions + 2 || app.open.has(key);
  const shown = isShort ? ordered : ordered.slice(0, Math.max(fewRegions, wrong));
  return [
    h('ul', { class: 'list' }, shown.map(region)),
    shown.length < all.length ? h('p', {}, button(t('Show All {count} Regions', { count: all.length }), () => toggle(key), { id: 'all-regions' })) : null,
  ];
}

function region(item) {
  const [tone, iconName] = verdicts[item.verdict] ?? ['warning', 'exclamationmark.triangle'];
  return h('li', { class: 'row', 'data-key': item.identifier, 'data-verdict': item.verdict },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, item.name ?? t('Unknown Region'))),
      h('span', { class: 'identifier' }, item.identifier),
      h('span', { class: 'quiet' }, formatCoordinate(item.latitude, item.longitude), ' · ', formatLength(item.radius, style()),
        ' · ', t(states[item.state] ?? item.state)),
      item.cause ? h('span', { class: 'quiet' }, item.cause) : null),
    h('span', { class: 'row-state' }, badge(tone, iconName, t(verdictNames[item.verdict] ?? item.verdict))));
}
