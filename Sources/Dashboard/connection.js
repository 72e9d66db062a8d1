// Whether the page is in touch with the service: a pure state machine. Events go in; actions and the time until the next timer come
// out. It touches neither the page nor the network, and randomness comes in with the event.

/** So many failures in a row pause the live updates in the eyes of a person. */
export const failuresUntilPaused = 5;
/** The longest wait before a new attempt, in seconds. */
export const longestWait = 30;

/**
 * @typedef {object} Connection
 * @property {'idle'|'connecting'|'open'|'waiting'} stream
 * @property {boolean} hasNetwork What the browser says, until the service answers all the same.
 * @property {boolean} isReachable Whether the last request to the service was answered.
 * @property {number} failures Attempts to open the stream that failed in a row.
 */

/**
 * @typedef {'openStream'|'closeStream'|'startPolling'|'stopPolling'|'reload'} Action
 *
 * @typedef {{type: 'start'|'opened'|'failed'|'timer'|'networkLost'|'networkBack'|'answered'|'unreachable'|'stop', random?: number}} Event
 */

/** @returns {Connection} */
export const initialConnection = () => ({ stream: 'idle', hasNetwork: true, isReachable: true, failures: 0 });

/**
 * Seconds to wait after so many failures in a row: 1, 2, 4, 8, 16, then 30, each shortened by up to a quarter.
 *
 * @param {number} failures From 1.
 * @param {number} random 0 to 1.
 */
export const delayAfter = (failures, random) => Math.min(longestWait, failures > 5 ? longestWait : 2 ** (failures - 1)) * (1 - random / 4);

/**
 * The next state, what to do, and the seconds until `timer` is due; a null timer cancels the one that runs, and an undefined one
 * leaves it.
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
    // The failures made so far say nothing about the next network.
    return {
      state: { ...before, hasNetwork: false, stream: before.stream === 'idle' ? 'idle' : 'waiting' },
      actions: before.stream === 'idle' ? [] : ['closeStream', 'startPolling'],
      timer: null,
    };
  case 'networkBack':
    return before.stream === 'idle' ? { ...same, state: { ...before, hasNetwork: true } } : connect({ hasNetwork: true, failures: 0 });
  case 'answered':
    if (before.hasNetwork && before.isReachable) return same;
    // The service answers again: there is no reason to wait longer for the stream.
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
 * Why the page is offline, or null when it is not.
 *
 * @param {Connection} connection
 * @returns {'noNetwork'|'unreachable'|null}
 */
export const offlineReason = (connection) => (!connection.hasNetwork ? 'noNetwork' : !connection.isReachable ? 'unreachable' : null);

/** @param {Connection} connection */
export const areLiveUpdatesPaused = (connection) => connection.stream !== 'open' && connection.failures >= failuresUntilPaused;

/**
 * What the page says of itself. Only the first that holds is shown.
 *
 * @param {{isOffline: boolean, isSyncing: boolean, isRateLimited: boolean, hasError: boolean}} signs
 * @returns {'offline'|'syncing'|'rateLimited'|'error'|'fine'}
 */
export function pageStatus({ isOffline, isSyncing, isRateLimited, hasError }) {
  if (isOffline) return 'offline';
  if (isSyncing) return 'syncing';
  if (isRateLimited) return 'rateLimited';
  return hasError ? 'error' : 'fine';
}
