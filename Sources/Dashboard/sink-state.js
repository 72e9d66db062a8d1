// The status of a sink.

import { badge } from './parts.js';
import { t, text } from './translate.js';

export const sinksPath = '/v1/sinks';

/** The names of the kinds of sinks. */
export const kindNames = {
  ntfy: text('ntfy'),
  gotify: text('Gotify'),
  slack: text('Slack'),
  mattermost: text('Mattermost'),
  telegram: text('Telegram'),
  webhook: text('Webhook'),
  homeassistant: text('Home Assistant webhook'),
  text: text('Plain text'),
  email: text('Email'),
  mqtt: text('MQTT'),
  file: text('File'),
  command: text('Command'),
  positions: text('Positions'),
  discovery: text('Home Assistant'),
};

const looks = {
  connected: ['good', 'checkmark.circle', text('Connected')],
  reconnecting: ['warning', 'refresh', text('Reconnecting (attempt {attempt} of {maxAttempts})')],
  degraded: ['warning', 'exclamationmark.triangle', text('Delayed')],
  paused: ['neutral', 'pause.circle', text('Paused')],
};

/** The status of a sink as one word. @param {object} sink */
export const stateOf = (sink) => (sink.isPaused ? 'paused' : sink.connection?.state ?? 'connected');

/** @param {object} sink */
export function sinkBadge(sink) {
  const [tone, iconName, name] = looks[stateOf(sink)];
  const { attempt, maxAttempts } = sink.connection ?? {};
  return badge(tone, iconName, t(name, { attempt, maxAttempts }));
}
