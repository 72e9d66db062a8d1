// The findings about a device's registrations that are not in the lists of missing and orphaned geofences, each with its recovery action.

import { h, icon } from './dom.js';
import { otherFindings, unhealthyFindings } from './health-state.js';
import { section } from './parts.js';
import { recoveryButton, recoverySteps } from './problem-card.js';
import { recoveryOfFinding } from './recovery.js';
import { t, text } from './translate.js';

const isBad = ({ finding }) => unhealthyFindings.has(finding);

const nameOf = (item) => item.name ?? item.geofenceId ?? t('Whole device');

/**
 * @param {object} health
 * @param {() => void} onDone Asks for the health again.
 */
export function findings(health, onDone) {
  const found = otherFindings(health);
  const rows = (items) => items.map((item) => row(health, item, onDone));
  const bad = found.filter(isBad);
  const notes = found.filter((item) => !isBad(item));
  return [
    bad.length ? section('findings', t('Other findings ({count})', { count: bad.length }), h('ul', { class: 'list' }, rows(bad))) : null,
    notes.length
      ? h('details', { class: 'card', id: 'notes', 'data-key': 'notes' },
        h('summary', {}, t('Notes ({count})', { count: notes.length })), h('ul', { class: 'list flat' }, rows(notes)))
      : null,
  ];
}

const findingNames = {
  missing: text('Not Registered'),
  orphaned: text('Orphaned'),
  drifted: text('Different position or size'),
  deaf: text('Notification off'),
  zombie: text('Not watched'),
  unmonitored: text('Over the limit'),
  blocked: text('Blocked'),
  degraded: text('Degraded'),
  surplus: text('Surplus'),
  unsupported: text('Limited'),
  atRisk: text('At risk'),
};

/** A row with a finding and its action. */
function row(health, item, onDone) {
  const action = findingAction(health, item, { scope: 'row', onDone });
  const look = isBad(item) ? ['exclamationmark.triangle', 'warning'] : ['questionmark.circle', 'neutral'];
  return h('li', { class: 'row', 'data-key': `${item.finding} ${item.geofenceId} ${item.setting}`, 'data-finding': item.finding },
    icon(...look),
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, nameOf(item))),
      h('span', { class: 'quiet' }, item.cause)),
    h('span', { class: isBad(item) ? 'row-state warning-text' : 'row-state quiet' }, t(findingNames[item.finding] ?? item.finding)),
    action?.button,
    action ? h('div', { class: 'row-steps' }, action.steps) : null);
}

/**
 * The button of a finding's recovery action, and what it shows; null if a person can do nothing.
 *
 * @param {object} health
 * @param {object} item The finding.
 * @param {{scope: string, kind?: string, onDone: () => void}} options `scope` distinguishes several buttons of the same finding.
 */
export function findingAction({ deviceId: id, registry, platform }, item, { scope, kind, onDone }) {
  const key = `finding ${scope} ${id} ${item.finding} ${item.geofenceId} ${item.setting}`;
  const recovery = recoveryOfFinding({ key, finding: item, device: { id, registry, platform }, onDone });
  if (!recovery) return null;
  const name = t('{action}: {what}', { action: recovery.label, what: nameOf(item) });
  return { button: recoveryButton(recovery, key, { kind, name }), steps: recoverySteps(recovery, key) };
}
