// The status of a sink.

import { badge } from './parts.js';
import { t } from './translate.js';

export const sinksPath = '/v1/sinks';

const looks = {
  connected: ['good', 'checkmark.circle'], reconnecting: ['warning', 'refresh'], degraded: ['warning', 'exclamationmark.triangle'], paused: ['neutral', 'pause.circle'],
};

/** The status of a sink as one word. @param {object} sink */
export const stateOf = (sink) => (sink.isPaused ? 'paused' : sink.connection?.state ?? 'connected');

/** @param {object} sink */
export function sinkBadge(sink) {
  const state = stateOf(sink);
  const [tone, iconName] = looks[state];
  const { attempt, maxAttempts } = sink.connection ?? {};
  const text = state === 'reconnecting' ? t('sink.reconnecting', { attempt, maxAttempts }) : t(`sink.${state}`);
  return badge(tone, iconName, text);
}
