// Devices that report without a good token: how many wait, and the notice of a new one. Loaded with the page, for whoever may let them in.

import { h, patchChildren } from './dom.js';
import { button } from './parts.js';
import { app, changed, resource } from './state.js';
import { t } from './translate.js';

export const waitingPath = '/v1/waiting-devices';

/** The devices that were seen waiting; null before the list was first there. @type {Set<string>|null} */
let seen = null;
/** Those that have come since, and that nobody has looked at. */
let fresh = [];

/** Those that wait; none for whoever may not let them in. */
export function waitingDevices() {
  // Where no token was made yet nobody is refused.
  if (app.session?.role !== 'admin' || app.session.isOpen) return [];
  return resource(waitingPath).data?.waiting ?? [];
}

/** Draws the notice of new ones, and says how many wait. */
export function drawWaiting() {
  const waiting = waitingDevices();
  const isThere = app.session?.role === 'admin' && !app.session.isOpen && resource(waitingPath).data !== null;
  if (isThere) {
    const ids = waiting.map((device) => device.deviceId);
    // Whoever is on the page of phones sees them there, and one that is known has a place of its own.
    const isLooking = app.route[0] === 'phones';
    if (seen && !isLooking) fresh.push(...waiting.filter((device) => !seen.has(device.deviceId) && !device.isKnown).map((device) => device.deviceId));
    fresh = isLooking ? [] : fresh.filter((id) => ids.includes(id));
    seen = new Set(ids);
  }
  patchChildren(document.getElementById('waiting-notice'), fresh.length ? [notice()] : []);
  return waiting.length;
}

const notice = () => h('div', { class: 'notice', 'data-key': 'waiting' },
  h('span', {}, t('waiting.notice', { count: fresh.length, name: fresh[0] })),
  h('a', { class: 'button plain', href: '#/phones' }, t('waiting.see')),
  button('', () => {
    fresh = [];
    changed();
  }, { kind: 'plain', iconName: 'xmark', name: t('close'), key: 'close' }));
