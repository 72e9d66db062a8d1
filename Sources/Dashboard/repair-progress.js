// The progress of a repair: combines the operations that the service has reported with those of the plan.

import { changed } from './state.js';

/** The reported operations of running repairs, by device. */
const reportedSteps = new Map();

/** Starts to record the progress of a device's repair. @param {string} id The device. */
export const beginProgress = (id) => reportedSteps.set(id, []);

/** Stops recording. @param {string} id */
export const endProgress = (id) => reportedSteps.delete(id);

/** The operations that were tried so far. @param {string} id */
export const stepsSoFar = (id) => reportedSteps.get(id) ?? [];

/**
 * Records an operation that the service has reported.
 *
 * @param {{deviceId: string, number: number, operation: string, identifier: string, outcome: string}} step
 */
export function recordStep(step) {
  if (!reportedSteps.has(step.deviceId)) return;
  // A repair that another client started may have reported earlier operations. Each repair starts with the number 1.
  const before = step.number === 1 ? [] : reportedSteps.get(step.deviceId);
  reportedSteps.set(step.deviceId, [...before, step]);
  changed();
}

const keyOf = ({ operation, identifier }) => `${operation} ${identifier}`;

/**
 * The operations of a plan with their outcomes so far, followed by operations that are not in the plan. The first operation without an
 * outcome is `running`. Pure.
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
