// The kind and the status of a sink.

import { badge } from './parts.js';
import { sinkKinds } from './sink-kinds.js';
import { t, text } from './translate.js';

export const sinksPath = '/v1/sinks';

/** What the service says about the kind of a sink. @param {object} sink */
export const kindOf = (sink) => sinkKinds.find(({ name }) => name === sink.kind);

/** The kind of a sink, or its use of the kind, as text. @param {object} sink */
export function kindTitle(sink) {
  const kind = kindOf(sink);
  const use = kind?.forms.find(({ member }) => sink[member]) ?? kind;
  return use ? t(use.title) : sink.kind;
}

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
