// Which geofences are registered and why: the geofences left out, the purpose of the sentinel, and the reason for each geofence.

import { h } from './dom.js';
import { formatLength } from './format.js';
import { loaded } from './loaded.js';
import { disclosure, section } from './parts.js';
import { style } from './preferences.js';
import { resource } from './state.js';
import { t, tn } from './translate.js';

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
  return section('explanation', count ? t('Left out ({count})', { count }) : t('Which geofences are registered'), [
    ...(count ? leftOut(health, registry, system) : registry ? [h('p', {},
      t('{system} watches at most {limit} regions for an app. There is room for every geofence of this device, so none is left out and no sentinel is needed.', { system, limit: registry.limit }))] : []),
    health.lacksFix && count ? h('p', {}, t('The device has sent no position yet, so Picket chooses by priority.')) : null,
    health.atRiskCount ? h('p', { class: 'warning-text' }, tn(health.atRiskCount,
      '{count} geofence cannot be guaranteed, because too many are near the device.',
      '{count} geofences cannot be guaranteed, because too many are near the device.')) : null,
    standings(id),
  ]);
}

function leftOut(health, registry, system) {
  const hasSentinel = health.registeredWithOS.includes(sentinel) || health.missingFromOS.includes(sentinel);
  const region = registry?.regions.find(({ identifier }) => identifier.endsWith(`/${sentinel}`));
  return [
    registry ? h('p', {},
      t('{system} watches at most {limit} regions for an app. Picket registers the geofences that the device can reach first, and leaves out the others until they are near.', { system, limit: registry.limit })) : null,
    hasSentinel
      ? h('p', {},
        t('One of the registered regions is the sentinel, a circle around the device. When the device leaves it, Picket chooses again, before the device can reach a geofence that is left out.'),
        region ? [' ', t('Its current radius is {radius}.', { radius: formatLength(region.radius, style()) })] : null)
      : null,
  ];
}

function standings(id) {
  const path = `/v1/devices/${encodeURIComponent(id)}/health?explain=true`;
  return disclosure(`standings ${id}`, t('Why each geofence is registered or not'), () => loaded(path, resource(path), table), 'standings');
}

/** The geofences that are not registered first, because people usually ask about them. */
function table({ standings: all = [] }) {
  const ordered = [...all].sort((a, b) => Number(a.isRegistered) - Number(b.isRegistered));
  return h('ul', { class: 'list flat tall', tabindex: '0', role: 'list', 'aria-label': t('Why each geofence is registered or not') }, ordered.map((entry) =>
    h('li', { class: 'row', 'data-key': entry.geofenceId, 'data-registered': String(entry.isRegistered) },
      h('span', { class: 'row-main' },
        h('span', { class: 'row-title' }, h('bdi', {}, entry.name ?? entry.geofenceId)),
        h('span', { class: 'quiet' }, entry.standing)),
      h('span', { class: entry.isRegistered ? 'row-state good-text' : 'row-state quiet' },
        entry.isRegistered ? t('Registered') : t('Not registered')))));
}
