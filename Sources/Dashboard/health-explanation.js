// Why some geofences are left out, what the sentinel is for, and of each geofence why it is or is not registered.

import { h } from './dom.js';
import { loaded } from './loaded.js';
import { section } from './parts.js';
import { app, changed, resource } from './state.js';
import { t } from './translate.js';

const limits = { iOS: 20, Android: 100 };

/**
 * @param {string} id
 * @param {object} health
 * @param {string} system
 */
export function explanation(id, health, system) {
  if (health.overBudgetCount === 0) return null;
  const hasSentinel = health.registeredWithOS.includes('#sentinel') || health.missingFromOS.includes('#sentinel');
  return section('explanation', t('health.leftOut', { count: health.overBudgetCount }), [
    h('p', {}, t('health.leftOut.why', { system, limit: limits[system] })),
    hasSentinel ? h('p', {}, t('health.sentinel')) : null,
    health.lacksFix ? h('p', {}, t('health.lacksFix')) : null,
    health.atRiskCount ? h('p', { class: 'warning-text' }, t('health.atRisk', { count: health.atRiskCount })) : null,
    standings(id),
  ]);
}

function standings(id) {
  const key = `standings ${id}`;
  const path = `/v1/devices/${encodeURIComponent(id)}/health?explain=true`;
  const note = (event) => {
    if (event.target.open) app.open.add(key);
    else app.open.delete(key);
    changed();
  };
  return h('details', { class: 'card', id: 'standings', 'data-key': key, ontoggle: note },
    h('summary', {}, t('health.eachGeofence')),
    app.open.has(key) ? loaded(path, resource(path), table) : null);
}

const table = (health) => h('ul', { class: 'list flat tall' }, health.standings.map((entry) => h('li', { class: 'row', 'data-key': entry.geofenceId },
  h('span', { class: 'row-main' }, h('span', { class: 'row-title' }, h('bdi', {}, entry.geofenceId)), h('span', { class: 'quiet' }, entry.standing)))));
