// How far a repair has come: the operations that the service has told of, beside those of the plan.

import { changed } from './state.js';

/** By device: the operations of the repair that runs. */
const told = new Map();

/** Begins with a repair. @param {string} id The device. */
export const beginProgress = (id) => told.set(id, []);

/** Ends it. @param {string} id */
export const endProgress = (id) => told.delete(id);

/** The operations that were tried so far. @param {string} id */
export const stepsSoFar = (id) => told.get(id) ?? [];

/**
 * Takes in what the service tells of an operation.
 *
 * @param {{deviceId: string, number: number, operation: string, identifier: string, outcome: string}} step
 */
export function noteStep(step) {
  if (!told.has(step.deviceId)) return;
  // A repair may run that somebody else has begun: the one that is meant begins with number 1 again.
  const before = step.number === 1 ? [] : told.get(step.deviceId);
  told.set(step.deviceId, [...before, step]);
  changed();
}

const keyOf = ({ operation, identifier }) => `${operation} ${identifier}`;

/**
 * The operations of a plan with what has come of each so far, and those that the plan did not have, as they came. The first one that
 * was not tried yet is `running`. Pure.
 *
 * @param {object[]} planned
 * @param {object[]} tried
 */
export function withProgress(planned, tried) {
  const latest = new Map(tried.map((step) => [keyOf(step), step]));
  const ofPlan = new Set(planned.map(keyOf));
  let isNext = true;
  const rows = planned.map((step) => {
    const found = latest.get(keyOf(step));
    if (found) return { ...step, outcome: found.outcome, error: found.error };
    const outcome = isNext ? 'running' : 'planned';
    isNext = false;
    return { ...step, outcome };
  });
  return [...rows, ...[...latest].filter(([key]) => !ofPlan.has(key)).map(([, step]) => step)];
}
