// The actions on a simulated phone: what its user does, what its operating system does to regions, and faults.

import { request } from './api.js';
import { h, icon } from './dom.js';
import { actionsFor } from './simulator-actions.js';
import { button, disclosure } from './parts.js';
import { operationProblem } from './problem-card.js';
import { clearOutcomes } from './repair.js';
import { changed, operation, reload, resource, run, whyReadOnly } from './state.js';
import { t, text } from './translate.js';

/** The selected region and the last action, by device. */
const chosen = new Map();
const last = new Map();

const basePath = (id) => `/v1/devices/${encodeURIComponent(id)}`;

/**
 * The section of a simulated phone, which is closed at first.
 *
 * @param {string} id The device's id.
 * @param {string} system The name of its operating system.
 */
export function simulator(id, system) {
  const heading = [h('h2', { id: 'simulator-title' }, t('Simulated phone')), ' ', h('span', { class: 'simulator-mark' }, t('Simulation'))];
  return h('section', { class: 'simulator', id: 'simulator', 'data-key': 'simulator', 'aria-labelledby': 'simulator-title' },
    disclosure(`simulator ${id}`, heading, () => content(id, system)));
}

function content(id, system) {
  const registry = resource(`${basePath(id)}/registry`).data;
  const regions = (registry?.regions ?? []).filter((region) => !region.foreign);
  const actions = actionsFor(regions, chosen.get(id));
  return [
    h('p', { class: 'quiet' },
      t('This phone exists only in Picket. Try what can happen to the regions that {system} watches, and see how Picket finds and repairs the damage. No real phone is changed.', { system })),
    group('regions', t('The system loses or changes a region'),
      field('simulator-region', t('Region'),
        h('select', { id: 'simulator-region', onchange: (event) => { chosen.set(id, event.target.value); changed(); } },
          h('option', { value: '' }, t('Any')),
          regions.map((region) => h('option', { value: region.identifier, selected: region.identifier === chosen.get(id) }, region.name ?? region.identifier)))),
      row(id, actions.regions)),
    group('extra', t('A region exists that should not'), row(id, actions.extra)),
    group('phone', t('The phone restarts, or its app is reinstalled'), row(id, actions.phone)),
    group('person', t('The person changes a setting'),
      registry ? permission(id, registry.authorizationStatus) : null,
      registry ? row(id, [actions.location(registry.locationServicesEnabled), actions.precise(registry.preciseLocation)]) : null),
    operationProblem(`simulate ${id}`),
    h('p', { class: 'simulator-result', role: 'status', 'data-key': 'result' }, last.has(id) ? [icon('checkmark.circle'), h('span', {}, last.get(id))] : null),
  ];
}

const group = (name, title, ...parts) => h('fieldset', { class: 'simulator-group', 'data-group': name }, h('legend', {}, title), parts);

const field = (id, label, control) => h('div', { class: 'field' }, h('label', { for: id }, label), control);

const actionNames = {
  drop: text('Lose Region'),
  dropThree: text('Lose Any Three'),
  drift: text('Move Region by 500 m'),
  deafen: text('Turn Off Notifications'),
  zombify: text('Stop Watching Region'),
  addOrphan: text('Add Orphaned Region'),
  addForeign: text('Add Region of Another SDK'),
  reboot: text('Restart'),
  reinstall: text('Reinstall App'),
  'location.on': text('Turn Location On'),
  'location.off': text('Turn Location Off'),
  'precise.on': text('Turn Precise Location On'),
  'precise.off': text('Turn Precise Location Off'),
};

/** The location permissions, from the weakest to the strongest. */
const permissions = {
  notDetermined: text('Not asked yet'),
  restricted: text('Restricted'),
  denied: text('Denied'),
  whenInUse: text('While using the app'),
  always: text('Always'),
};

const row = (id, actions) => h('p', { class: 'actions' }, actions.map(({ name, key = name, body }) =>
  button(t(actionNames[name]), () => simulate(id, body(), t(actionNames[name])), { isWrite: true, isRunning: operation(`simulate ${id}`).isRunning, key })));

function permission(id, status) {
  const isOff = whyReadOnly() !== null;
  const choose = async ({ target }) => {
    const wanted = target.value;
    const isDone = await simulate(id, { action: 'authorize', status: wanted }, `${t('Location permission')}: ${t(permissions[wanted])}`);
    if (!isDone) target.value = status;
  };
  return field('simulator-permission', t('Location permission'),
    h('select', { id: 'simulator-permission', onchange: choose, disabled: isOff || operation(`simulate ${id}`).isRunning, 'aria-describedby': isOff ? 'read-only-reason' : null },
      Object.keys(permissions).map((value) => h('option', { value, selected: value === status }, t(permissions[value])))));
}

/** Requests an action and shows what was done. Returns whether it was successful. */
async function simulate(id, body, what) {
  last.delete(id);
  clearOutcomes(id);
  const done = await run(`simulate ${id}`, async () => {
    await request('POST', `${basePath(id)}/registry:simulate`, body);
    await reload((path) => path.startsWith(`${basePath(id)}/`) || path.startsWith('/v1/problems'));
  });
  if (done === undefined) return false;
  last.set(id, t('Done: {what}.', { what }));
  changed();
  return true;
}
