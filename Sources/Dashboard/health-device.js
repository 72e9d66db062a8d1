// The health of one device: the regions that its system watches, the findings, and the repair.

import { h } from './dom.js';
import { deviceOf } from './devices.js';
import { formatCoordinate, formatLength } from './format.js';
import { lookOf, otherFindings, rowsOf, systemName, unhealthyFindings } from './health-state.js';
import { explanation } from './health-explanation.js';
import { loaded } from './loaded.js';
import { badge, button, deviceName, empty, heading, number, section, since } from './parts.js';
import { style } from './preferences.js';
import { operationProblem } from './problem-card.js';
import { problemList, problemsPath } from './problems.js';
import { sourceOf } from './recovery.js';
import { startPlan, repairPanel, isPlanShown } from './repair.js';
import { history } from './repair-history.js';
import { simulator } from './simulator.js';
import { app, operation, reload, resource, run, toggle } from './state.js';
import { t } from './translate.js';

/** The device whose plan the address has already requested. */
let askedFor = null;

/**
 * @param {string} id
 * @param {boolean} wantsPlan Whether the address requests the repair plan.
 */
export function view(id, wantsPlan) {
  const path = `/v1/devices/${encodeURIComponent(id)}/health`;
  const device = deviceOf(id);
  const health = resource(path);
  if (wantsPlan && askedFor !== id) {
    askedFor = id;
    queueMicrotask(() => startPlan(id));
  } else if (!wantsPlan) {
    askedFor = null;
  }
  return [
    h('p', { class: 'back' }, h('a', { href: '#/health' }, t('health.back'))),
    heading(deviceName(device.name, health.data?.registry ?? device.registry)),
    loaded(path, health, (data) => content(id, data)),
  ];
}

function content(id, health) {
  if (health.registry === 'none') return empty(t('health.notManaged'));
  const system = systemName(health.platform);
  const look = lookOf(health);
  const problems = problemsOf(id);
  // If a problem card is shown above, it already has a button for the same action.
  const isMain = look.name === 'unhealthy' && problems.length === 0;
  return [
    h('div', { class: 'summary', id: 'health-summary', role: 'status', 'data-state': look.name },
      badge(`${look.tone} large`, look.icon, health.statusSummary),
      health.reportedAt ? h('p', { class: 'meta' }, t('health.reported'), ' ', since(health.reportedAt)) : null),
    h('dl', { class: 'counts' },
      count('count-registered', t('health.registered', { system }), health.registeredWithOS.length),
      count('count-active', t('health.active'), health.savedCount)),
    problems.length ? problemList(problems) : null,
    actions(id, isMain),
    operationProblem(`refresh ${id}`, () => refresh(id)),
    operationProblem(`plan ${id}`, () => startPlan(id)),
    operationProblem(`repair ${id}`, () => startPlan(id)),
    repairPanel(id, system),
    health.registry === 'simulated' ? simulator(id, system) : null,
    geofenceSection('missing', health, system),
    geofenceSection('orphaned', health, system),
    findings(health),
    explanation(id, health, system),
    regions(id, system),
    history(id),
  ];
}

const count = (id, name, value) => h('div', {}, h('dt', {}, name), h('dd', { id }, number(value)));

/** The open problems of the device. */
const problemsOf = (id) => (resource(problemsPath).data?.problems ?? []).filter((standing) => sourceOf(standing)[1] === id && sourceOf(standing)[0] !== 'sink');

function actions(id, isMain) {
  return h('p', { class: 'actions' },
    button(t('refresh'), () => refresh(id), { iconName: 'refresh', id: 'refresh', isRunning: operation(`refresh ${id}`).isRunning }),
    button(t('health.fix'), () => startPlan(id), {
      iconName: 'wrench', kind: isMain && !isPlanShown(id) ? 'primary' : '', id: 'fix-registration', isWrite: true, isRunning: operation(`plan ${id}`).isRunning,
    }));
}

function refresh(id) {
  run(`refresh ${id}`, () => reload((path) => path.includes(`/devices/${encodeURIComponent(id)}/`)), 'refreshed');
}

function geofenceSection(kind, health, system) {
  const rows = rowsOf(health, kind);
  if (rows.length === 0) return null;
  const unknown = t(kind === 'missing' ? 'health.missing.unnamed' : 'health.orphaned.unnamed');
  return section(kind, t(`health.${kind}.title`, { system, count: rows.length }),
    h('ul', { class: 'list' }, rows.map((row) => h('li', { class: 'row', 'data-key': row.id },
      h('span', { class: 'row-main' },
        h('span', { class: 'row-title' }, h('bdi', {}, row.name ?? unknown)),
        h('span', { class: 'identifier' }, row.id)),
      h('span', { class: 'row-state warning-text' }, t(`health.${kind}.state`))))),
    t(`health.${kind}.footer`, { system }));
}

function findings(health) {
  const found = otherFindings(health);
  if (found.length === 0) return null;
  const isBad = ({ finding }) => unhealthyFindings.has(finding);
  const row = (item) => h('li', { class: 'row', 'data-finding': item.finding },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, item.name ?? item.geofenceId ?? t('health.wholeDevice'))),
      h('span', { class: 'quiet' }, item.cause)),
    h('span', { class: isBad(item) ? 'row-state warning-text' : 'row-state quiet' }, t(`finding.${item.finding}`)));
  const bad = found.filter(isBad);
  const notes = found.filter((item) => !isBad(item));
  return [
    bad.length ? section('findings', t('health.findings', { count: bad.length }), h('ul', { class: 'list' }, bad.map(row))) : null,
    notes.length
      ? h('details', { class: 'card', id: 'notes', 'data-key': 'notes' },
        h('summary', {}, t('health.notes', { count: notes.length })), h('ul', { class: 'list flat' }, notes.map(row)))
      : null,
  ];
}

const verdicts = { right: ['good', 'checkmark.circle'], foreign: ['neutral', 'questionmark.circle'] };

function regions(id, system) {
  const path = `/v1/devices/${encodeURIComponent(id)}/registry`;
  const registry = resource(path);
  if (registry.isMissing) return null;
  if (registry.problem?.code === 'registryUnavailable') return section('regions', t('health.regions'), empty(registry.problem.message));
  return section('regions', t('health.regions'), loaded(path, registry, (data) => (data.regions.length
    ? regionList(id, data.regions)
    : empty(t('health.regions.none')))), registry.data?.isListed === false ? t('health.regions.notListed', { system }) : undefined);
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
    shown.length < all.length ? h('p', {}, button(t('health.showAllRegions', { count: all.length }), () => toggle(key), { id: 'all-regions' })) : null,
  ];
}

function region(item) {
  const [tone, iconName] = verdicts[item.verdict] ?? ['warning', 'exclamationmark.triangle'];
  return h('li', { class: 'row', 'data-key': item.identifier, 'data-verdict': item.verdict },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, item.name ?? t('health.orphaned.unnamed'))),
      h('span', { class: 'identifier' }, item.identifier),
      h('span', { class: 'quiet' }, formatCoordinate(item.latitude, item.longitude), ' · ', formatLength(item.radius, style()),
        ' · ', t(`region.${item.state}`)),
      item.cause ? h('span', { class: 'quiet' }, item.cause) : null),
    h('span', { class: 'row-state' }, badge(tone, iconName, t(`verdict.${item.verdict}`))));
}
