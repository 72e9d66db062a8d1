// Carries out the actions of the connection's state machine: opens and closes the stream, polls while it is closed, and runs its timer.

import { serviceURL } from './api.js';
import { initialConnection, isSilent, silentEvent, step } from './connection.js';
import { types } from './event-types.js';
import { feed } from './live-feed.js';

const streamAddress = '/v1/events/stream?notices=true';
/** Seconds between polls while the stream is closed. */
const pollInterval = 10;
/** Milliseconds between two checks of the silence. */
const silenceCheckInterval = 1000;
/** The topics of the service's notices. */
const notices = ['problem', 'health', 'repair', 'sink', 'geofences', 'devices', 'device'];
const recentCount = 100;
/** Milliseconds before a message on an open stream shows again that an unreachable service is back: its other answers may still fail. */
const returnInterval = 5000;
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
  /** When something was heard of the service, and of the stream, in milliseconds since 1970. A sleep of the computer counts. */
  let heardAt = Date.now();
  let streamHeardAt = Date.now();
  /** When a message last showed that the service is there, so that everything was loaded again. */
  let openedAt = -Infinity;

  const actions = {
    openStream() {
      streamHeardAt = Date.now();
      source = open(feed.positions);
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
    const opened = new EventSource(serviceURL(address.filter(Boolean).join('&')));
    opened.positions = positions;
    opened.onerror = () => (opened === source || opened === successor) && send('failed');
    // Only what arrives shows that the stream works: a proxy may pass on its headers and hold back everything else.
    const on = (type, action) => opened.addEventListener(type, (event) => {
      heard(opened);
      action(event);
    });
    on('heartbeat', () => {});
    for (const topic of notices) on(topic, () => onNotice(topic));
    on('repairStep', ({ data }) => onRepairStep(JSON.parse(data)));
    for (const type of Object.keys(types)) {
      on(type, ({ data, lastEventId }) => {
        // The notice of an acknowledgment has the name of the event, and no id.
        if (type === 'alarm' && JSON.parse(data).alarm?.acknowledgedAt !== undefined) return onNotice(type);
        // While one stream replaces the other, both contain the same events.
        if (recent.includes(lastEventId)) return;
        recent.push(lastEventId);
        if (recent.length > recentCount) recent.shift();
        onNotice(type);
        if (feed.hasEventListeners) feed.tellEvent(JSON.parse(data));
      });
    }
    on('positions', ({ data }) => feed.tellPositions(JSON.parse(data)));
    return opened;
  }

  /** Something has arrived on a stream. */
  function heard(opened) {
    if (opened !== source && opened !== successor) return;
    streamHeardAt = heardAt = Date.now();
    if (opened === successor) {
      source.close();
      source = opened;
      successor = null;
      feed.opened = opened.positions;
      onChange();
    }
    // A stream outlives a service that hung for a moment.
    const isReturn = !connection.isReachable && heardAt - openedAt >= returnInterval;
    if (connection.stream !== 'open' || isReturn) {
      feed.opened = opened.positions;
      openedAt = heardAt;
      send('opened');
    }
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
    successor = open(feed.positions, recent.at(-1));
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

  let checkedAt = Date.now();
  const silence = () => (Date.now() - heardAt) / 1000;
  function checkSilence() {
    const now = Date.now();
    // After the clock was moved to an earlier time, everything else would seem to be in the future.
    if (now < checkedAt) heardAt = streamHeardAt = now;
    const event = silentEvent(connection, { silence: (now - streamHeardAt) / 1000, gap: (now - checkedAt) / 1000, isHidden: document.hidden });
    checkedAt = now;
    if (event) send(event);
    // The page shows how long ago something was heard.
    if (isSilent(connection, silence())) onChange();
  }
  setInterval(checkSilence, silenceCheckInterval);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) checkSilence(); });

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

  return {
    send,
    get state() { return connection; },
    /** Seconds since something was heard of the service. */
    get silence() { return silence(); },
    /** When something was last heard of the service, in milliseconds since 1970. */
    get heardAt() { return heardAt; },
    /** Notes that the service has answered a request. */
    heard() { heardAt = Date.now(); },
  };
}
