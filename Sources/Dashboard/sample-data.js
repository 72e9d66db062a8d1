// Loads and removes the sample data.

import { request } from './api.js';
import { askToConfirm, confirmation } from './confirmation.js';
import { h } from './dom.js';
import { button, section } from './parts.js';
import { operationProblem } from './problem-card.js';
import { isBeingRemoved, removeLater } from './removal.js';
import { announce } from './shell.js';
import { app, changed, operation, reload, resource, run } from './state.js';
import { t } from './translate.js';

const path = '/v1/sample-data';
const removalKey = 'remove sample data';

/** What was loaded a moment ago; otherwise null. */
let loadedNow = null;

/** Whether the service has sample data to load. */
export const isSampleAvailable = () => resource(path).data?.isAvailable === true;

/** The button that loads the sample data, with the problem if it failed. */
export const sampleButton = () => [
  button(operation('load sample').isRunning ? t('Loading the sample data …') : t('Load Sample Data'), loadSample, {
    isWrite: true, isRunning: operation('load sample').isRunning, iconName: 'overview', id: 'load-sample',
  }),
  operationProblem('load sample', loadSample),
];

async function loadSample() {
  const change = await run('load sample', () => request('POST', path), 'saved');
  if (change === undefined) return;
  loadedNow = change;
  announce(t('Sample data is loaded: {geofences} geofences, {devices} devices, {events} events.', change));
  await reload();
}

/** A note about what was loaded and where it can be removed; null if nothing was loaded a moment ago. */
export function sampleNote() {
  if (!loadedNow) return null;
  return h('div', { class: 'card callout', id: 'sample-note', role: 'status', 'data-key': 'sample-note' },
    h('p', {}, t('Sample data is loaded: {geofences} geofences, {devices} devices, {events} events.', loadedNow)),
    h('p', { class: 'actions' },
      h('a', { class: 'button', href: '#/phones' }, t('You can remove it under Phones')),
      button(t('Close'), () => {
        loadedNow = null;
        changed();
      }, { key: 'close' })));
}

/** The loaded sample data, with a button to remove it; null if there is none. */
export function sampleSection() {
  const { data } = resource(path);
  if (!data || data.geofences + data.devices === 0 || isBeingRemoved(path)) return null;
  return section('sample', t('Sample data'), h('div', { class: 'card' },
    h('p', {}, t('The store contains {geofences} geofences and {devices} devices of the sample data.', data)),
    app.open.has(removalKey) ? removalQuestion() : h('p', { class: 'actions', 'data-key': 'actions' },
      button(t('Remove Sample Data'), () => askToConfirm(removalKey, 'sample-removal'), { kind: 'danger', isWrite: true, id: 'remove-sample' }))));
}

const removalQuestion = () => confirmation({
  key: removalKey, name: 'sample-removal', backTo: 'remove-sample', question: t('Remove the sample data?'),
  loss: t('Its geofences, devices, positions and events are erased. Everything that you created or changed is kept.'), action: removeSample,
});

/** The sample data is removed when the time for undo has passed. */
function removeSample() {
  app.open.delete(removalKey);
  loadedNow = null;
  removeLater({ path, text: t('Sample data removed'), failed: t('The sample data was not removed.'), listPath: path });
}
