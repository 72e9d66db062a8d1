// Distributes events and positions from the live stream to the views. Positions are limited to the part of the earth that a view shows.

const eventListeners = new Set();
const positionListeners = new Set();
let wanted = null;
let wantedChanged = () => {};

/**
 * Calls a function for each new event, in the form of `/v1/events`.
 *
 * @param {(event: object) => void} listener
 * @returns {() => void} Stops the calls.
 */
export function onEvents(listener) {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/**
 * Calls a function with the newest positions, an array of
 * `{deviceId, latitude, longitude, timestamp, accuracy?, course?, speed?, battery?}`, while `wantPositions` requests them.
 *
 * @param {(positions: object[]) => void} listener
 * @returns {() => void} Stops the calls.
 */
export function onPositions(listener) {
  positionListeners.add(listener);
  return () => positionListeners.delete(listener);
}

/**
 * Requests the positions in a part of the earth, instead of the part requested before. The stream is opened again for it, without a gap.
 *
 * @param {'all'|[number, number, number, number]|null} area West, south, east, north in degrees; null for none.
 */
export function wantPositions(area) {
  const text = area === null ? null : area === 'all' ? 'all' : area.map((value) => value.toFixed(5)).join(',');
  if (text === wanted) return;
  wanted = text;
  wantedChanged();
}

/** Whether the stream contains the requested positions. */
export const isFollowing = () => wanted !== null && feed.opened === wanted;

/** For the module that manages the stream. */
export const feed = {
  /** The `positions` of the open stream; null if there is no stream, or if it contains no positions. */
  opened: null,
  /** The value of the service's parameter `positions`; null for none. */
  get positions() { return wanted; },
  get hasEventListeners() { return eventListeners.size > 0; },
  /** @param {() => void} callback Called when `positions` has changed. */
  onWanted(callback) { wantedChanged = callback; },
  tellEvent(event) { for (const listener of eventListeners) listener(event); },
  tellPositions(positions) { for (const listener of positionListeners) listener(positions); },
};
