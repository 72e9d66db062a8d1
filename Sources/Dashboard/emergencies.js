// The open emergencies, in a bar above every view: who, where, since when, the number to call, and who takes care of it.

import { alarmKind } from './alarm-kinds.js';
import { request, RequestFailed } from './api.js';
import { deviceOf, devicesPath } from './devices.js';
import { h, icon, patchChildren } from './dom.js';
import { notifyOf } from './emergency-notices.js';
import { formatCoordinate } from './format.js';
import { button, since } from './parts.js';
import { app, changed, load, operation, resource, run } from './state.js';
import { t, tn } from './translate.js';

const listPath = '/v1/alarms?emergency=true';

/** The open emergencies, newest first. */
const emergenciesPath = `${listPath}&open=true&limit=100`;

/** Milliseconds for which the page shows who takes care of an emergency. */
const shownAfterward = 10 * 60_000;

/** The open emergencies of the previous drawing by id; null before the first one. @type {Map<string, object>|null} */
let known = null;
/** Acknowledged emergencies that were open while this page was shown. @type {Map<string, {event: object, at: number}>} */
const taken = new Map();
/** The ids of the emergencies that the person has acknowledged on this page. */
const mine = new Set();

/** The open emergencies. Empty before the person is signed in. @returns {object[]} */
export const openEmergencies = () => (app.session ? resource(emergenciesPath).data?.alarms ?? [] : []);

/** Whether the names of the devices are loaded, or cannot be loaded. A notification cannot be changed afterward. */
function areNamesLoaded(open) {
  if (open.length === 0) return true;
  const { data, problem } = resource(devicesPath);
  return data !== null || problem !== null;
}

const nameOf = (event) => deviceOf(event.deviceId).name;
/** The device's name and what the alarm means. */
const emergencyWords = (event) => ({ device: nameOf(event), kind: alarmKind(event.alarm.kind) });

/** Draws the bar, and returns the number of open emergencies. */
export function drawEmergencies() {
  const open = openEmergencies();
  if (app.session && resource(emergenciesPath).data && areNamesLoaded(open)) follow(open);
  for (const [id, { at }] of taken) if (Date.now() - at > shownAfterward) taken.delete(id);
  const rows = [...open.map(emergency), ...[...taken.values()].map(({ event }) => takenCareOf(event))];
  const bar = document.getElementById('emergencies');
  patchChildren(bar, rows.length
    ? [h('section', { 'aria-label': t('Emergencies'), 'data-key': 'emergencies' }, h('ul', {}, rows))]
    : []);
  return open.length;
}

/** What the title of the page begins with while an emergency is open; empty if there is none. */
export function emergencyTitle() {
  const open = openEmergencies();
  return open.length ? `${tn(open.length, 'Emergency: {device}', '{count} emergencies', { device: nameOf(open[0]) })} – ` : '';
}

/** Notifies the person of new emergencies, and finds out who takes care of those that are no longer open. */
function follow(open) {
  const before = known;
  known = new Map(open.map((event) => [event.id, event]));
  for (const event of open) {
    taken.delete(event.id);
    if (!before?.has(event.id)) notifyOf(event, t('Emergency: {device} ({kind})', emergencyWords(event)), placeText(event));
  }
  const ended = [...before?.keys() ?? []].filter((id) => !known.has(id) && !taken.has(id));
  if (ended.length) findOutcomes(ended);
}

async function findOutcomes(ids) {
  try {
    const { alarms } = await request('GET', `${listPath}&limit=100`);
    for (const event of alarms) if (ids.includes(event.id) && event.alarm.acknowledgedAt) keepTaken(event);
  } catch (failure) {
    // The page already shows that the service is not reachable. The emergency is no longer open in any case.
    if (!(failure instanceof RequestFailed)) throw failure;
  }
}

function keepTaken(event) {
  taken.set(event.id, { event, at: Date.now() });
  changed();
}

/** Forgets everything, for another person who signs in. */
export function forgetEmergencies() {
  known = null;
  taken.clear();
  mine.clear();
}

const acknowledgeKey = (event) => `acknowledge ${event.id}`;

function acknowledge(event) {
  const by = app.session.name ? `?by=${encodeURIComponent(app.session.name)}` : '';
  run(acknowledgeKey(event), async () => {
    const answer = await request('POST', `/v1/alarms/${event.sequence}:acknowledge${by}`);
    mine.add(event.id);
    keepTaken(answer);
    known?.delete(event.id);
    await load(emergenciesPath);
  }, 'saved');
}

const geofencesOf = (event) => event.alarm.inside.map((place) => place.geofenceName || place.geofenceId);

/** Where the device is, as text. */
function placeText(event) {
  const inside = geofencesOf(event);
  if (inside.length) return t('In {places}', { places: inside.join(', ') });
  const { latitude, longitude } = event.fix ?? {};
  return latitude === undefined ? t('No position is known') : t('At {coordinate}', { coordinate: formatCoordinate(latitude, longitude) });
}

/** The open emergencies of a device, as lines of its details. @param {string} id */
export const emergenciesOf = (id) => openEmergencies().filter((event) => event.deviceId === id).map((event) =>
  h('p', { class: 'device-emergency', 'data-key': event.id }, icon('exclamationmark.octagon'),
    h('span', {}, h('strong', {}, t('Emergency: {kind}', emergencyWords(event))), ' · ', since(event.occurredAt))));

function emergency(event) {
  const { isRunning, problem } = operation(acknowledgeKey(event));
  const device = nameOf(event);
  return h('li', { class: 'emergency', 'data-key': event.id },
    icon('exclamationmark.octagon', 'emergency-icon'),
    h('div', { class: 'emergency-main' },
      // Only this text is announced. The ages beside it change every minute.
      h('p', { class: 'emergency-title', role: 'alert' }, h('strong', {}, t('Emergency: {device} ({kind})', emergencyWords(event))), ' ',
        h('span', {}, placeText(event))),
      h('p', { class: 'emergency-facts' },
        h('span', {}, t('Raised'), ' ', since(event.occurredAt)), ...position(event),
        event.fix?.latitude === undefined ? null
          : h('a', { href: `#/map/device/${encodeURIComponent(event.deviceId)}`, 'aria-label': t('Show {device} on the map', { device }) }, t('Show on Map'))),
      problem ? h('p', { role: 'alert' }, t('This was not recorded. {message}', { message: problem.message })) : null),
    h('p', { class: 'emergency-actions' },
      numbersOf(event).map((number) => h('a', { class: 'button', 'data-key': `call ${number}`, href: `tel:${number.replace(/[^0-9+]/g, '')}` },
        t('Call'), ' ', h('strong', {}, number))),
      button(t('I’ll take care of it'), () => acknowledge(event), {
        key: 'acknowledge', kind: 'primary', isWrite: true, isForReaders: true, isRunning, name: t('I’ll take care of it: {device}', { device }),
      })));
}

/** The age of the position, if it is clearly older than the alarm. */
function position(event) {
  const at = event.fix?.latitude === undefined ? null : event.fix.timestamp;
  return at && Date.parse(event.occurredAt) - Date.parse(at) > 60_000 ? [h('span', {}, t('position'), ' ', since(at))] : [];
}

/** The numbers in a text such as `110, 119`. */
const numbersOf = (event) => event.alarm.emergencyNumber.split(',').map((number) => number.trim()).filter(Boolean);

function takenCareOf(event) {
  const person = event.alarm.acknowledgedBy;
  return h('li', { class: 'emergency taken', 'data-key': event.id },
    icon('checkmark.circle'),
    h('p', { class: 'emergency-main', role: 'status' },
      person ? t('{person} takes care of it: {device} ({kind})', { person, ...emergencyWords(event) })
        : mine.has(event.id) ? t('You take care of it: {device} ({kind})', emergencyWords(event))
          : t('A person takes care of it: {device} ({kind})', emergencyWords(event)),
      ' · ', since(event.alarm.acknowledgedAt)),
    button('', () => {
      taken.delete(event.id);
      changed();
    }, { kind: 'plain', iconName: 'xmark', name: t('Close'), key: 'close' }));
}
