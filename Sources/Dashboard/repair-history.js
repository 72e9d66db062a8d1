// The repairs of a device, newest first.

import { h } from './dom.js';
import { systemName } from './health-state.js';
import { loaded } from './loaded.js';
import { empty, section, since } from './parts.js';
import { comparison, steps } from './repair.js';
import { resource } from './state.js';
import { t, tn } from './translate.js';

/** @param {string} id */
export function history(id) {
  const path = `/v1/devices/${encodeURIComponent(id)}/repairs?limit=10`;
  return section('repairs', t('Repair history'), loaded(path, resource(path), ({ repairs }) => (repairs.length
    ? h('div', { class: 'stack tight' }, repairs.map(entry))
    : empty(t('No repair has been run.')))));
}

function entry(repair) {
  return h('details', { class: 'card', 'data-key': repair.startedAt },
    h('summary', {}, since(repair.finishedAt), ' · ', tn(repair.calls, '{count} operation', '{count} operations'), ' · ', repair.after.statusSummary),
    repair.operations.length ? steps(repair.operations) : null,
    comparison(repair, systemName(repair.after.platform)));
}
