// What an explanation of the service comes to: the answer, and the step that decides it. Pure.

/**
 * @typedef {object} Answer
 * @property {'event'|'inside'|'outside'|'unknown'} kind What is to be said of the moment.
 * @property {object|null} event The event that the moment is that of.
 * @property {number} step The index of the step that says why; -1 for none.
 */

/** Rules by which no position of the device could count. */
const closed = ['missing', 'inactive', 'notForDevice'];
/** Rules that make a change, and those that show one. */
const changing = ['confirmed', 'first', 'deadline', 'passage', 'dwell', 'fenceChanged', 'reported', 'deviceChanged'];

const time = (text) => Date.parse(text);

/**
 * @param {object} explanation As the service writes it.
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
  // A change that is under way says more than where the device was nearest to one.
  if (['entering', 'exiting', 'passing'].includes(state)) return { kind, event: null, step: last };
  return { kind, event: null, step: extreme(steps, visit ? -1 : 1) };
}

/** Whether a step is one of a position. @param {object} step */
export const isFix = (step) => step.latitude !== undefined;

/** The event whose decision a moment lies in: from when it happened until it was sure. */
function eventAt(events, at) {
  const here = events.filter((event) => ['enter', 'exit', 'dwell'].includes(event.type) && time(event.occurredAt) <= at
    && at <= Math.max(time(event.confirmedAt), time(event.occurredAt)));
  const rank = (event) => [event.type === 'dwell' ? 1 : 0, at - time(event.occurredAt)];
  return here.sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1])[0] ?? null;
}

/** The step by which an event was decided. */
function stepOf(event, steps) {
  const sure = steps.findLastIndex((step) => time(step.timestamp) <= time(event.confirmedAt)
    && time(step.timestamp) >= time(event.occurredAt) && changing.includes(step.rule));
  return sure >= 0 ? sure : steps.findLastIndex((step) => time(step.timestamp) <= time(event.occurredAt));
}

/** The step that lies furthest inside, or with -1 furthest outside: what is nearest to a change. */
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
