// Carries out what the connection's state machine decides: opens and closes the stream, polls meanwhile, and runs its one timer.

import { initialConnection, step } from './connection.js';

const streamAddress = '/v1/events/stream?notices=true';
/** Seconds between polls while the stream is closed. */
const pollInterval = 10;
/** The topics that the service tells changes of. */
const topics = ['problem', 'health', 'repair', 'sink', 'alarm', 'enter', 'exit', 'dwell', 'retracted', 'silent', 'returned'];

/**
 * @param {object} effects
 * @param {(topic: string) => void} effects.onNotice Something changed.
 * @param {() => void} effects.onReload Everything may have changed.
 * @param {() => void} effects.onPoll Time to look whether something has changed.
 * @param {() => void} effects.onChange The state is another one.
 */
export function liveUpdates({ onNotice, onReload, onPoll, onChange }) {
  let connection = initialConnection();
  let source = null;
  let timer = null;
  let poll = null;

  const actions = {
    openStream() {
      source = new EventSource(streamAddress);
      const opened = source;
      opened.onopen = () => send('opened');
      opened.onerror = () => opened === source && send('failed');
      for (const topic of topics) opened.addEventListener(topic, () => onNotice(topic));
    },
    closeStream() {
      source?.close();
      source = null;
    },
    startPolling() {
      if (poll) return;
      poll = setInterval(onPoll, pollInterval * 1000);
      onPoll();
    },
    stopPolling() {
      clearInterval(poll);
      poll = null;
    },
    reload: onReload,
  };

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

  window.addEventListener('offline', () => send('networkLost'));
  window.addEventListener('online', () => send('networkBack'));
  if (!navigator.onLine) send('networkLost');

  return { send, get state() { return connection; } };
}
