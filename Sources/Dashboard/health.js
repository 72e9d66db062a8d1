// The health of all managed devices.

import { h } from './dom.js';
import { deviceOf } from './devices.js';
import { lookOf, registeredCount, systemName } from './health-state.js';
import { loaded } from './loaded.js';
import { badge, button, deviceName, empty, heading, number } from './parts.js';
import { load, operation, resource, run } from './state.js';
import { view as deviceView } from './health-device.js';
import { t } from './translate.js';

const pageSize = 100;
let pages = 1;

export const healthPath = () => `/v1/health?totals=true&limit=${pageSize * pages}`;

export const title = ([id]) => (id ? `${deviceOf(id).name} – ${t('Health')}` : t('Health'));

/** @param {string[]} parts The parts after `#/health`. */
export function view(parts) {
  if (parts[0]) return deviceView(parts[0], parts[1] === 'plan');
  const path = healthPath();
  const health = resource(path);
  const refresh = () => run('refresh health', async () => {
    await load(path);
  }, 'refreshed');
  return [
    heading(t('Health'), button(t('Refresh'), refresh, { iconName: 'refresh', isRunning: operation('refresh health').isRunning, id: 'refresh' })),
    loaded(path, health, (data) => [
      totals(data.totals),
      data.devices.length ? h('ul', { class: 'list', id: 'health-list' }, data.devices.map(row))
        : empty(t('No device is managed. Give a device a platform and a registry to watch its registrations.')),
      data.next ? h('p', {}, button(t('Show More'), () => { pages += 1; load(healthPath()); resource(healthPath()); })) : null,
    ]),
  ];
}

/** @param {object} counts */
export const totals = (counts) => {
  // The current health of a phone that has not reported for too long is unknown.
  const unknown = counts.unknown + counts.stale;
  const items = [
    ['healthy', badge('good', 'checkmark.shield', t('{count} healthy', { count: counts.healthy })), true],
    ['unhealthy', badge('warning', 'exclamationmark.shield', t('{count} unhealthy', { count: counts.unhealthy })), counts.unhealthy],
    ['unknown', badge('neutral', 'questionmark.circle', t('{count} unknown', { count: unknown })), unknown],
    ['notManaged', h('span', { class: 'quiet' }, t('{count} not managed', { count: counts.notManaged })), counts.notManaged],
  ];
  return h('ul', { class: 'totals', id: 'health-totals' }, items.filter(([, , isShown]) => isShown).map(([name, sign]) => h('li', { 'data-total': name }, sign)));
};

function row(health) {
  const look = lookOf(health);
  const device = deviceOf(health.deviceId);
  const system = systemName(health.platform);
  return h('li', { 'data-key': health.deviceId, 'data-state': look.name },
    h('a', { class: 'row', href: `#/health/${encodeURIComponent(health.deviceId)}` },
      h('span', { class: 'row-main' },
        h('span', { class: 'row-title' }, deviceName(device.name, health.registry)),
        badge(look.tone, look.icon, health.statusSummary)),
      h('span', { class: 'row-facts' },
        h('span', {}, t('Registered with {system}', { system }), ' ', h('strong', {}, registeredCount(health, number))),
        h('span', {}, t('Active in App'), ' ', h('strong', {}, number(health.savedCount))))));
}
