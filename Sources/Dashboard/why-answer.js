// Derives the answer from an explanation of the service, and the step that determines it. Pure.

/**
 * @typedef {object} Answer
 * @property {'event'|'inside'|'outside'|'unknown'} kind What happened at the moment, or where the device was.
 * @property {object|null} event The event at the moment.
 * @property {number} step The index of the step that explains the answer; -1 if there is none.
 */

/** Rules under which no position of the device can count. */
const closed = ['missing', 'inactive', 'notForDevice'];
/** Rules that cause a change. */
const changing = ['confirmed', 'first', 'deadline', 'passage', 'dwell', 'fenceChanged', 'reported', 'deviceChanged'];

const time = (text) => Date.parse(text);

/**
 * @param {object} explanation An explanation in the form of the service.
 * @returns {Answer}
 */
export function answerOf({ at, events, steps, visit }) {
  const fixes = steps.filter(isFix);
  const event = at ? eventAt(events, time(at)) : null;
  if (event) return { kind: 'event', event, step: stepOf(event, steps) };
  const last = steps.findLastIndex((step) => at && time(step.timestamp) <= time(at) && step.rule);
  if (fixes.length === 0 || !at) return { kind: visit ? 'inside' : 'unknown', event: null, step: last };
  if (last >= 0 && closed.includes(steps[last].rule)) return { kind: 'outside', event: null, step: last };
  const state = last >= 0 ? steps[last].after : undefined;
  if (!visit && (state === undefined || state === 'unknown')) return { kind: 'unknown', event: null, step: last };
  const kind = visit ? 'inside' : 'outside';
  // A pending change is a better explanation than the position nearest to a change.
  if (['entering', 'exiting', 'passing'].includes(state)) return { kind, event: null, step: last };
  return { kind, event: null, step: extreme(steps, visit ? -1 : 1) };
}

/** Whether a step belongs to a position. @param {object} step */
export const isFix = (step) => step.latitude !== undefined;

/** The event that was being decided at a moment: between the time it happened and the time it was confirmed. */
function eventAt(events, at) {
  const here = events.filter((event) => ['enter', 'exit', 'dwell'].includes(event.type) && time(event.occurredAt) <= at
    && at <= Math.max(time(event.confirmedAt), time(event.occurredAt)));
  const rank = (event) => [event.type === 'dwell' ? 1 : 0, at - time(event.occurredAt)];
  return here.sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])[0] ?? null;
}

/** The step that decided an event. */
function stepOf(event, steps) {
  const sure = steps.findLastIndex((step) => time(step.timestamp) <= time(event.confirmedAt)
    && time(step.timestamp) >= time(event.occurredAt) && changing.includes(step.rule));
  return sure >= 0 ? sure : steps.findLastIndex((step) => time(step.timestamp) <= time(event.occurredAt));
}

/** The step farthest inside, or with -1 farthest outside: the one nearest to a change. */
function extreme(steps, sign) {
  let found = -1;
  steps.forEach((step, index) => {
    if (step.distance === undefined) return;
    if (found < 0 || sign * step.distance < sign * steps[found].distance) found = index;
  });
  return found;
}

/** The color of a step on the map and in the list. @param {object} step @returns {'inside'|'outside'|'pending'|'unsure'} */
export function toneOf({ after }) {
  if (after === 'inside' || after === 'outside') return after;
  return ['entering', 'exiting', 'passing'].includes(after) ? 'pending' : 'unsure';
}
