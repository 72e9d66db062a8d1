// Which geofences are registered and why: the geofences left out, the purpose of the sentinel, and the reason for each geofence.

import { h } from './dom.js';
import { formatLength } from './format.js';
import { loaded } from './loaded.js';
import { disclosure, section } from './parts.js';
import { style } from './preferences.js';
import { resource } from './state.js';
import { t } from './translate.js';

/** The identifier of the sentinel's region. */
const sentinel = '#sentinel';

/**
 * @param {string} id
 * @param {object} health
 * @param {string} system
 */
export function explanation(id, health, system) {
  if (health.savedCount === 0) return null;
  const registry = resource(`/v1/devices/${encodeURIComponent(id)}/registry`).data;
  const count = health.overBudgetCount;
  return section('explanation', count ? t('health.leftOut', { count }) : t('health.choice'), [
    ...(count ? leftOut(health, registry, system) : registry ? [h('p', {}, t('health.choice.all', { system, limit: registry.limit }))] : []),
    health.lacksFix && count ? h('p', {}, t('health.lacksFix')) : null,
    health.atRiskCount ? h('p', { class: 'warning-text' }, t('health.atRisk', { count: health.atRiskCount })) : null,
    standings(id),
  ]);
}

function leftOut(health, registry, system) {
  const hasSentinel = health.registeredWithOS.includes(sentinel) || health.missingFromOS.includes(sentinel);
  const region = registry?.regions.find(({ identifier }) => identifier.endsWith(`/${sentinel}`));
  return [
    registry ? h('p', {}, t('health.leftOut.why', { system, limit: registry.limit })) : null,
    hasSentinel
      ? h('p', {}, t('health.sentinel'), region ? [' ', t('health.sentinel.size', { radius: formatLength(region.radius, style()) })] : null)
      : null,
  ];
}

function standings(id) {
  const path = `/v1/devices/${encodeURIComponent(id)}/health?explain=true`;
  return disclosure(`standings ${id}`, t('health.eachGeofence'), () => loaded(path, resource(path), table), 'standings');
}

/** The geofences that are not registered first, because people usually ask about them. */
function table({ standings: all = [] }) {
  const ordered = [...all].sort((a, b) => Number(a.isRegistered) - Number(b.isRegistered));
  return h('ul', { class: 'list flat tall', tabindex: '0', role: 'list', 'aria-label': t('health.eachGeofence') }, ordered.map((entry) =>
    h('li', { class: 'row', 'data-key': entry.geofenceId, 'data-registered': String(entry.isRegistered) },
      h('span', { class: 'row-main' },
        h('span', { class: 'row-title' }, h('bdi', {}, entry.name ?? entry.geofenceId)),
        h('span', { class: 'quiet' }, entry.standing)),
      h('span', { class: entry.isRegistered ? 'row-state good-text' : 'row-state quiet' },
        t(entry.isRegistered ? 'health.standing.registered' : 'health.standing.leftOut')))));
}
