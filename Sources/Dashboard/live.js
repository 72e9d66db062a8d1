// Carries out the actions of the connection's state machine: opens and closes the stream, polls while it is closed, and runs its timer.

import { initialConnection, step } from './connection.js';
import { feed } from './live-feed.js';

const streamAddress = '/v1/events/stream?notices=true';
/** Seconds between polls while the stream is closed. */
const pollInterval = 10;
/** The topics of the service's notices. */
const notices = ['problem', 'health', 'repair', 'sink', 'geofences', 'device'];
/** The types of events. */
const events = ['alarm', 'enter', 'exit', 'dwell', 'missed', 'retracted', 'silent', 'returned'];
const recentCount = 100;
/** Milliseconds to wait for further changes of the requested positions before the stream is opened again. */
const wishDelay = 250;

/**
 * @param {object} effects
 * @param {(topic: string) => void} effects.onNotice Something has changed.
 * @param {(step: object) => void} effects.onRepairStep An operation of a repair was completed.
 * @param {() => void} effects.onReload Everything may have changed.
 * @param {() => void} effects.onPoll It is time to check for changes.
 * @param {() => void} effects.onChange The state of the connection has changed.
 */
export function liveUpdates({ onNotice, onRepairStep, onReload, onPoll, onChange }) {
  let connection = initialConnection();
  let source = null;
  /** A stream that replaces `source` as soon as it is open. */
  let successor = null;
  let wishTimer = null;
  /** The ids of the last events. A stream that replaces another one continues after the last event. */
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
      // A failed attempt is a reason to check immediately whether the service is reachable at all.
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
        // While one stream replaces the other, both contain the same events.
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
   * Opens the stream again with other positions. The old stream continues until the new one is open. If the new one cannot be opened, the
   * connection is lost.
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

  // A browser may keep a page that the person has left, to show it again later. Its stream would use one of the few connections that the
  // browser allows for the service.
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
