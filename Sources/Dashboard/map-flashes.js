// Geofences that flash, because somebody has just entered or left. Pure: the clock comes in.

/** @typedef {{geofenceId: string, type: 'enter'|'exit'|'dwell', at: number, strength: number}} Flash `strength`: from 1 down to 0. */

const duration = 2000;
const most = 40;

/** @type {Flash[]} */
let flashes = [];

/** @param {string} geofenceId @param {Flash['type']} type @param {number} now Milliseconds. */
export function flash(geofenceId, type, now) {
  flashes = [...flashes.filter((one) => one.geofenceId !== geofenceId), { geofenceId, type, at: now, strength: 1 }].slice(-most);
}

/**
 * The flashes of a moment.
 *
 * @param {number} now Milliseconds.
 * @param {boolean} isCalm Whether they stay as they are until they end.
 * @returns {Flash[]}
 */
export function flashesAt(now, isCalm) {
  flashes = flashes.filter(({ at }) => now - at < duration);
  for (const one of flashes) one.strength = isCalm ? 0.9 : 1 - (now - one.at) / duration;
  return flashes;
}

export const clearFlashes = () => { flashes = []; };
