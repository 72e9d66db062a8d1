// The actions on a simulated phone: what its user does, what its operating system does to regions, and faults.

import { request } from './api.js';
import { h, icon } from './dom.js';
import { actionsFor, authorizations } from './simulator-actions.js';
import { button, disclosure } from './parts.js';
import { operationProblem } from './problem-card.js';
import { clearOutcomes } from './repair.js';
import { changed, operation, reload, resource, run, whyReadOnly } from './state.js';
import { t } from './translate.js';
import './words-simulator.js';

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
  const heading = [h('h2', { id: 'simulator-title' }, t('simulator.title')), ' ', h('span', { class: 'simulator-mark' }, t('simulator.mark'))];
  return h('section', { class: 'simulator', id: 'simulator', 'data-key': 'simulator', 'aria-labelledby': 'simulator-title' },
    disclosure(`simulator ${id}`, heading, () => content(id, system)));
}

function content(id, system) {
  const registry = resource(`${basePath(id)}/registry`).data;
  const regions = (registry?.regions ?? []).filter((region) => !region.foreign);
  const actions = actionsFor(regions, chosen.get(id));
  return [
    h('p', { class: 'quiet' }, t('simulator.intro', { system })),
    group('regions', t('simulator.regions'),
      field('simulator-region', t('simulator.region'),
        h('select', { id: 'simulator-region', onchange: (event) => { chosen.set(id, event.target.value); changed(); } },
          h('option', { value: '' }, t('simulator.anyRegion')),
          regions.map((region) => h('option', { value: region.identifier, selected: region.identifier === chosen.get(id) }, region.name ?? region.identifier)))),
      row(id, actions.regions)),
    group('extra', t('simulator.extra'), row(id, actions.extra)),
    group('phone', t('simulator.phone'), row(id, actions.phone)),
    group('person', t('simulator.person'),
      registry ? permission(id, registry.authorizationStatus) : null,
      registry ? row(id, [actions.location(registry.locationServicesEnabled), actions.precise(registry.preciseLocation)]) : null),
    operationProblem(`simulate ${id}`),
    h('p', { class: 'simulator-result', role: 'status', 'data-key': 'result' }, last.has(id) ? [icon('checkmark.circle'), h('span', {}, last.get(id))] : null),
  ];
}

const group = (name, title, ...parts) => h('fieldset', { class: 'simulator-group', 'data-group': name }, h('legend', {}, title), parts);

const field = (id, label, control) => h('div', { class: 'field' }, h('label', { for: id }, label), control);

const row = (id, actions) => h('p', { class: 'actions' }, actions.map(({ name, key = name, body }) =>
  button(t(`simulator.${name}`), () => simulate(id, body(), t(`simulator.${name}`)), { isWrite: true, isRunning: operation(`simulate ${id}`).isRunning, key })));

function permission(id, status) {
  const isOff = whyReadOnly() !== null;
  const choose = async ({ target }) => {
    const wanted = target.value;
    const isDone = await simulate(id, { action: 'authorize', status: wanted }, `${t('simulator.permission')}: ${t(`simulator.permission.${wanted}`)}`);
    if (!isDone) target.value = status;
  };
  return field('simulator-permission', t('simulator.permission'),
    h('select', { id: 'simulator-permission', onchange: choose, disabled: isOff || operation(`simulate ${id}`).isRunning, 'aria-describedby': isOff ? 'read-only-reason' : null },
      authorizations.map((value) => h('option', { value, selected: value === status }, t(`simulator.permission.${value}`)))));
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
  last.set(id, t('simulator.done', { what }));
  changed();
  return true;
}
