// The latest transitions: a short list in the panel, and announcements for screen readers.

import { h, icon } from './dom.js';
import { types } from './event-types.js';
import { goTo } from './map-going.js';
import { mapState } from './map-state.js';
import { section, since } from './parts.js';
import { announce } from './shell.js';
import { changed } from './state.js';
import { t, tn } from './translate.js';

const most = 6;
/** The minimum number of milliseconds between two announcements. */
const announcementInterval = 8000;
/** The minimum number of milliseconds between two redraws of the list while many transitions arrive. */
const drawingInterval = 1000;
const icons = { enter: 'arrow.enter', exit: 'arrow.exit', dwell: 'hourglass' };

/** Newest first. @type {object[]} */
let latest = [];
let unsaid = [];
let timer = null;
let isChanging = false;
let drawnAt = 0;

/** Whether the list shows events of a type. @param {string} type */
export const isTransition = (type) => Object.hasOwn(icons, type);

/** @param {object} event As `/v1/events` writes it. */
export function addTransition(event) {
  latest = [event, ...latest].slice(0, most);
  unsaid.push(event);
  timer ??= setTimeout(say, 500);
  // Several transitions are drawn together.
  if (isChanging) return;
  isChanging = true;
  setTimeout(() => {
    isChanging = false;
    drawnAt = performance.now();
    changed();
  }, performance.now() - drawnAt > drawingInterval ? 100 : drawingInterval);
}

export function clearFeed() {
  clearTimeout(timer);
  timer = null;
  latest = [];
  unsaid = [];
}

/** Announces the newest transition, or only the number if several arrived at the same time. */
function say() {
  const count = unsaid.length;
  if (count === 0) {
    timer = null;
    return;
  }
  const text = sentence(unsaid.at(-1));
  announce(count === 1 ? text : tn(count - 1, '{text}. {count} more transition.', '{text}. {count} more transitions.', { text }));
  unsaid = [];
  timer = setTimeout(say, announcementInterval);
}

const deviceName = (id) => mapState.devices.get(id)?.name ?? id;
const geofenceName = (event) => event.geofenceName ?? mapState.geofences.get(event.geofenceId)?.value.name ?? event.geofenceId;

const sentence = (event) => t(types[event.type]?.sentence, { device: deviceName(event.deviceId), geofence: geofenceName(event) });

export function feedSection() {
  if (latest.length === 0) return null;
  return section('map-feed', t('Latest transitions'), h('ul', { class: 'list' }, latest.map((event) =>
    h('li', { 'data-key': event.id, 'data-type': event.type },
      h('button', { type: 'button', class: 'row map-row', onclick: () => goTo({ kind: 'geofence', id: event.geofenceId }) },
        icon(icons[event.type], `transition ${event.type}`),
        h('span', { class: 'row-main' }, h('span', {}, h('bdi', {}, sentence(event))), h('span', { class: 'row-facts' }, since(event.occurredAt))))))));
}
