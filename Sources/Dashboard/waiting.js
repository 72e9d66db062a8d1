// Devices that report without a valid token: their number, and the notice of a new one. Loaded when the page starts, for people
// who may accept devices.

import { h, patchChildren } from './dom.js';
import { button } from './parts.js';
import { app, changed, resource } from './state.js';
import { t, tn } from './translate.js';

export const waitingPath = '/v1/waiting-devices';

/** The waiting devices that were already known; null before the list was loaded. @type {Set<string>|null} */
let seen = null;
/** The devices that have arrived since, and that the person has not seen yet. */
let fresh = [];

/** The waiting devices; empty for people who may not accept devices. */
export function waitingDevices() {
  // As long as no token exists, no device is refused.
  if (app.session?.role !== 'admin' || app.session.isOpen) return [];
  return resource(waitingPath).data?.waiting ?? [];
}

/** Shows the notice of new devices, and returns the number of waiting ones. */
export function drawWaiting() {
  const waiting = waitingDevices();
  const isThere = app.session?.role === 'admin' && !app.session.isOpen && resource(waitingPath).data !== null;
  if (isThere) {
    const ids = waiting.map((device) => device.deviceId);
    // The page of phones shows the waiting devices anyway. A known device is shown elsewhere.
    const isLooking = app.route[0] === 'phones';
    if (seen && !isLooking) fresh.push(...waiting.filter((device) => !seen.has(device.deviceId) && !device.isKnown).map((device) => device.deviceId));
    fresh = isLooking ? [] : fresh.filter((id) => ids.includes(id));
    seen = new Set(ids);
  }
  patchChildren(document.getElementById('waiting-notice'), fresh.length ? [notice()] : []);
  return waiting.length;
}

const notice = () => h('div', { class: 'notice', 'data-key': 'waiting' },
  h('span', {}, tn(fresh.length, '{name} reports without a token.', '{count} devices report without a token.', { name: fresh[0] })),
  h('a', { class: 'button plain', href: '#/phones' }, t('Accept or Refuse')),
  button('', () => {
    fresh = [];
    changed();
  }, { kind: 'plain', iconName: 'xmark', name: t('Close'), key: 'close' }));
