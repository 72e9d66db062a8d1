// The connection to the service as a pure state machine: each event returns actions and the time of the next timer. It accesses neither the
// page nor the network, and random numbers are part of the events.

/** The number of consecutive failures after which live updates are shown as paused. */
const failuresUntilPaused = 5;
/** The maximum number of seconds before a new attempt. */
const longestWait = 30;
/** Seconds between two heartbeats of an idle stream. */
const heartbeatInterval = 15;
/** Seconds within which the first heartbeat of a new stream must arrive. A proxy may hold the stream back. */
const openingLimit = 10;
/** Seconds by which a heartbeat may be late. */
const tolerance = 2;
/** Seconds between two checks of the silence. After a longer gap, the computer has slept. */
const sleepLimit = 10;

/**
 * @typedef {object} Connection
 * @property {'idle'|'connecting'|'open'|'waiting'} stream It is open when its first heartbeat has arrived.
 * @property {boolean} hasNetwork What the browser reports; true again as soon as the service answers.
 * @property {boolean} isReachable Whether the last request to the service was answered.
 * @property {number} failures The number of consecutive failed attempts to open the stream.
 */

/**
 * @typedef {'openStream'|'closeStream'|'startPolling'|'stopPolling'|'reload'} Action
 *
 * @typedef {{type: 'start'|'opened'|'failed'|'woke'|'timer'|'networkLost'|'networkBack'|'answered'|'unreachable'|'stop', random?: number}} Event
 */

/** @returns {Connection} */
export const initialConnection = () => ({ stream: 'idle', hasNetwork: true, isReachable: true, failures: 0 });

/**
 * Seconds to wait after a number of consecutive failures: 1, 2, 4, 8, 16, then 30, each shortened at random by up to a quarter.
 *
 * @param {number} failures Starts with 1.
 * @param {number} random From 0 to 1.
 */
export const delayAfter = (failures, random) => Math.min(longestWait, failures > 5 ? longestWait : 2 ** (failures - 1)) * (1 - random / 4);

/**
 * The next state, the actions to carry out, and the seconds until the event `timer`. A timer of null cancels the running one, and undefined
 * keeps it.
 *
 * @param {Connection} before
 * @param {Event} event
 * @returns {{state: Connection, actions: Action[], timer: number|null|undefined}}
 */
export function step(before, event) {
  const connect = (changes) => ({
    state: { ...before, ...changes, stream: 'connecting' },
    actions: before.stream === 'idle' || before.stream === 'waiting' ? ['openStream'] : ['closeStream', 'openStream'],
    timer: null,
  });
  const same = { state: before, actions: [], timer: undefined };

  switch (event.type) {
  case 'start':
    return before.stream === 'idle' ? connect({}) : same;
  case 'woke':
    return before.stream === 'idle' ? same : connect({});
  case 'timer':
    return before.stream === 'waiting' ? connect({}) : same;
  case 'opened':
    return {
      state: { stream: 'open', hasNetwork: true, isReachable: true, failures: 0 },
      actions: ['stopPolling', 'reload'],
      timer: null,
    };
  case 'failed': {
    if (before.stream !== 'connecting' && before.stream !== 'open') return same;
    const failures = before.failures + 1;
    return {
      state: { ...before, stream: 'waiting', failures },
      actions: ['closeStream', 'startPolling'],
      timer: delayAfter(failures, event.random ?? 0),
    };
  }
  case 'networkLost':
    // The previous failures say nothing about the next network.
    return {
      state: { ...before, hasNetwork: false, stream: before.stream === 'idle' ? 'idle' : 'waiting' },
      actions: before.stream === 'idle' ? [] : ['closeStream', 'startPolling'],
      timer: null,
    };
  case 'networkBack':
    return before.stream === 'idle' ? { ...same, state: { ...before, hasNetwork: true } } : connect({ hasNetwork: true, failures: 0 });
  case 'answered':
    if (before.hasNetwork && before.isReachable) return same;
    // The service answers again, so there is no reason to wait before opening the stream.
    if (before.stream === 'waiting') return connect({ hasNetwork: true, isReachable: true });
    return { ...same, state: { ...before, hasNetwork: true, isReachable: true } };
  case 'unreachable':
    return before.isReachable ? { ...same, state: { ...before, isReachable: false } } : same;
  case 'stop':
    return { state: { ...before, stream: 'idle', failures: 0 }, actions: ['closeStream', 'stopPolling'], timer: null };
  default:
    throw new Error(`Unknown connection event '${event.type}'.`);
  }
}

/**
 * Why the page is offline; null if it is online.
 *
 * @param {Connection} connection
 * @returns {'noNetwork'|'unreachable'|null}
 */
export const offlineReason = (connection) => (!connection.hasNetwork ? 'noNetwork' : !connection.isReachable ? 'unreachable' : null);

/**
 * What has happened to the stream without an event: nothing was heard of it for too long (`failed`), or the computer has slept
 * (`woke`), so that the stream has probably ended unnoticed. Null if it is as it should be.
 *
 * @param {Connection} connection
 * @param {object} clock
 * @param {number} clock.silence Seconds since something was heard of the stream, or since it was requested.
 * @param {number} clock.gap Seconds since the preceding check.
 * @param {boolean} clock.isHidden Whether the page is hidden. Browsers slow down the timers of hidden pages.
 * @returns {'failed'|'woke'|null}
 */
export function silentEvent({ stream }, { silence, gap, isHidden }) {
  if (gap > sleepLimit && !isHidden && silence > heartbeatInterval + tolerance) return 'woke';
  if (stream === 'connecting' && silence > openingLimit) return 'failed';
  return stream === 'open' && silence > 2 * heartbeatInterval + tolerance ? 'failed' : null;
}

/**
 * Whether nothing at all was heard of the service for so long that two heartbeats were missed.
 *
 * @param {Connection} connection
 * @param {number} silence Seconds since something was heard of the service.
 */
export const isSilent = ({ stream }, silence) => stream !== 'idle' && silence > 2 * heartbeatInterval;

/** @param {Connection} connection */
export const areLiveUpdatesPaused = (connection) => connection.stream !== 'open' && connection.failures >= failuresUntilPaused;

/**
 * The status of the page. The first one that applies is shown.
 *
 * @param {{isOffline: boolean, isUnheard: boolean, isSyncing: boolean, isRateLimited: boolean, hasError: boolean}} signs
 * @returns {'offline'|'silent'|'syncing'|'rateLimited'|'error'|'fine'}
 */
export function pageStatus({ isOffline, isUnheard, isSyncing, isRateLimited, hasError }) {
  if (isOffline) return 'offline';
  if (isUnheard) return 'silent';
  if (isSyncing) return 'syncing';
  if (isRateLimited) return 'rateLimited';
  return hasError ? 'error' : 'fine';
}
