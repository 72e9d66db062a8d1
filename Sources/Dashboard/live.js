// Carries out what the connection's state machine decides: opens and closes the stream, polls meanwhile, and runs its one timer.

import { initialConnection, step } from './connection.js';
import { feed } from './live-feed.js';

const streamAddress = '/v1/events/stream?notices=true';
/** Seconds between polls while the stream is closed. */
const pollInterval = 10;
/** The topics that the service tells changes of. */
const notices = ['problem', 'health', 'repair', 'sink', 'geofences', 'device'];
/** The types of the events themselves. */
const events = ['alarm', 'enter', 'exit', 'dwell', 'missed', 'retracted', 'silent', 'returned'];
const recentCount = 100;
/** Milliseconds for which a changed wish for positions is left to change again, before the stream is opened anew. */
const wishDelay = 250;

/**
 * @param {object} effects
 * @param {(topic: string) => void} effects.onNotice Something changed.
 * @param {(step: object) => void} effects.onRepairStep An operation of a repair was tried.
 * @param {() => void} effects.onReload Everything may have changed.
 * @param {() => void} effects.onPoll Time to look whether something has changed.
 * @param {() => void} effects.onChange The state is another one.
 */
export function liveUpdates({ onNotice, onRepairStep, onReload, onPoll, onChange }) {
  let connection = initialConnection();
  let source = null;
  /** A stream that is to take the place of `source` as soon as it is open. */
  let successor = null;
  let wishTimer = null;
  /** The ids of the last events. A stream that takes another's place goes on after the last one. */
  const recent = [];
  let timer = null;
  let poll = null;

  const actions = {
    openStream() {
      source = open(feed.positions);
      const opened = source;
      opened.onopen = () => {
        if (opened !== source) return;
        feed.opened = opened.positions;
        send('opened');
      };
      opened.onerror = () => opened === source && send('failed');
    },
    closeStream() {
      clearTimeout(wishTimer);
      source?.close();
      successor?.close();
      source = successor = feed.opened = null;
    },
    startPolling() {
      // Each failed attempt is a reason to look at once whether the service is there at all.
      onPoll();
      poll ??= setInterval(onPoll, pollInterval * 1000);
    },
    stopPolling() {
      clearInterval(poll);
      poll = null;
    },
    reload: onReload,
  };

  function open(positions, after) {
    const address = [streamAddress, positions && `positions=${positions}`, after && `after=${encodeURIComponent(after)}`];
    const opened = new EventSource(address.filter(Boolean).join('&'));
    opened.positions = positions;
    for (const topic of notices) opened.addEventListener(topic, () => onNotice(topic));
    opened.addEventListener('repairStep', ({ data }) => onRepairStep(JSON.parse(data)));
    for (const type of events) {
      opened.addEventListener(type, ({ data, lastEventId }) => {
        // Two streams tell of the same event while one takes the place of the other.
        if (recent.includes(lastEventId)) return;
        recent.push(lastEventId);
        if (recent.length > recentCount) recent.shift();
        onNotice(type);
        if (feed.hasEventListeners) feed.tellEvent(JSON.parse(data));
      });
    }
    opened.addEventListener('positions', ({ data }) => feed.tellPositions(JSON.parse(data)));
    return opened;
  }

  /**
   * Opens the stream anew for another wish for positions. The old stream goes on until the new one is open, so that this is no loss of
   * the connection; when the new one cannot be opened, the connection is lost.
   */
  function replaceStream() {
    successor?.close();
    successor = null;
    if (connection.stream === 'connecting') {
      source.close();
      actions.openStream();
    }
    if (connection.stream !== 'open' || source.positions === feed.positions) return;
    const opened = open(feed.positions, recent.at(-1));
    successor = opened;
    opened.onopen = () => {
      if (opened !== successor) return;
      source.close();
      source = opened;
      successor = null;
      feed.opened = opened.positions;
      onChange();
    };
    opened.onerror = () => (opened === source || opened === successor) && send('failed');
  }

  feed.onWanted(() => {
    clearTimeout(wishTimer);
    wishTimer = setTimeout(replaceStream, wishDelay);
  });

  function send(type) {
    const before = connection;
    const next = step(connection, { type, random: Math.random() });
    connection = next.state;
    if (next.timer !== undefined) {
      clearTimeout(timer);
      timer = next.timer === null ? null : setTimeout(() => send('timer'), next.timer * 1000);
    }
    for (const action of next.actions) actions[action]();
    if (connection !== before) onChange();
  }

  // A page that a person has left may be kept to be shown again. Its stream would keep one of the few connections that a browser has for
  // the service.
  let isKept = false;
  window.addEventListener('pagehide', () => {
    isKept = connection.stream !== 'idle';
    if (isKept) send('stop');
  });
  window.addEventListener('pageshow', (event) => { if (event.persisted && isKept) send('start'); });
  window.addEventListener('offline', () => send('networkLost'));
  window.addEventListener('online', () => send('networkBack'));
  if (!navigator.onLine) send('networkLost');

  return { send, get state() { return connection; } };
}
