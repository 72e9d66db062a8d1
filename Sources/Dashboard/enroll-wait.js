// Waits until a phone's first position arrives, with the live stream and by polling, and gives advice if none arrives.

import { request, RequestFailed, serviceURL } from './api.js';
import { h, icon } from './dom.js';
import { formatAge, formatLength } from './format.js';
import { style } from './preferences.js';
import { announce } from './shell.js';
import { changed, load, resource } from './state.js';
import { t, text } from './translate.js';
import { waitingDevices, waitingPath } from './waiting.js';

/** Seconds between two requests. */
const interval = 3;
/** Seconds after which advice is shown. */
const patience = 60;

/** The current wait; null if there is none. */
let wait = null;

/**
 * Starts to wait for a new position.
 *
 * @param {object} enrollment The response of the service.
 */
export function waitForPosition({ device, lastFixAt, ownTracks, token }) {
  stopWaiting();
  const waiting = { id: device.id, names: new Set([device.id, ownTracks.reportsAs]), lastFixAt, since: Date.now(), madeAt: Date.parse(token.madeAt), fix: null, timer: 0, stream: null };
  wait = waiting;
  waiting.stream = new EventSource(serviceURL(`/v1/events/stream?positions=all&device=${encodeURIComponent(device.id)}`));
  waiting.stream.addEventListener('positions', ({ data }) => arrive(waiting, JSON.parse(data).find((position) => position.deviceId === device.id)));
  waiting.timer = setInterval(() => ask(waiting), interval * 1000);
}

/** Ends the wait. */
export function stopWaiting() {
  if (!wait) return;
  clearInterval(wait.timer);
  wait.stream.close();
  wait = null;
}

async function ask(waiting) {
  try {
    const { lastFix } = await request('GET', `/v1/devices/${encodeURIComponent(waiting.id)}`);
    if (lastFix && lastFix.timestamp !== waiting.lastFixAt) arrive(waiting, lastFix);
  } catch (failure) {
    // The page already shows that the service is not reachable. The request is repeated later.
    if (!(failure instanceof RequestFailed)) throw failure;
  }
  load(waitingPath);
  changed();
}

function arrive(waiting, fix) {
  if (!fix || waiting !== wait || waiting.fix) return;
  waiting.fix = fix;
  clearInterval(waiting.timer);
  waiting.stream.close();
  announce(words(fix));
  changed();
}

const words = ({ accuracy }) => (accuracy === undefined
  ? t('It works: the first position has arrived')
  : t('It works: {accuracy} accuracy', { accuracy: formatLength(accuracy, style()) }));

/**
 * The state of the wait.
 *
 * @param {object} enrollment The response of the service.
 */
export function waitCard({ address }) {
  if (!wait) return null;
  if (wait.fix) {
    return h('section', { class: 'card wait good-card', id: 'enroll-wait', 'data-state': 'works', 'data-key': 'wait', 'aria-label': t('First position') },
      h('p', { class: 'badge large good' }, icon('checkmark.circle'), h('span', {}, words(wait.fix))),
      h('p', { class: 'actions' }, h('a', { class: 'button primary', href: '#/phones' }, t('Done')), h('a', { class: 'button', href: '#/' }, t('Who is where'))));
  }
  // Requesting the resource in each drawing keeps it up to date.
  resource(waitingPath);
  const refused = waitingDevices().filter((device) => Date.parse(device.lastAt) > wait.madeAt);
  const own = refused.find((device) => wait.names.has(device.deviceId));
  const others = refused.filter((device) => !wait.names.has(device.deviceId));
  const isLate = Date.now() - wait.since >= patience * 1000;
  return h('section', { class: 'card wait', id: 'enroll-wait', 'data-state': own ? 'refused' : isLate ? 'late' : 'waiting', 'data-key': 'wait', 'aria-label': t('First position') },
    h('p', { class: 'badge large', role: 'status' }, icon('refresh', 'turning'), h('span', {}, t('Waiting for the first position …'))),
    own ? h('p', { class: 'warning-text', id: 'wait-refused', role: 'alert' }, t(own.hasToken
      ? text('A report of this phone was refused {age}, from {address}: its token is invalid. Enter the complete password again.')
      : text('A report of this phone was refused {age}, from {address}: it sent no token. The password in the app is missing.'), {
      age: formatAge(Math.max(0, (Date.now() - Date.parse(own.lastAt)) / 1000), style()), address: own.address,
    })) : null,
    others.length && !own ? h('p', { class: 'warning-text', id: 'wait-others' },
      t('Another device was refused: {names}. If that is this phone, its user and device differ from those above.', {
        names: others.map((device) => device.deviceId).join(', '),
      })) : null,
    isLate ? [
      h('p', {}, t('No position has arrived yet. Check on the phone:')),
      h('ul', { class: 'checks', id: 'wait-checks' },
        h('li', {}, t('Is the address reachable? Open {address} in the phone’s browser: this dashboard should appear.', { address })),
        h('li', {}, t('Is the token complete? It has 50 characters and starts with picket_.')),
        h('li', {}, t('May the app use the location? Allow ‘Always’ and precise location, and exclude the app from battery saving.')),
        h('li', {}, t('Has the app reported at all? Some apps wait until you move: send a position manually.'))),
    ] : null);
}
