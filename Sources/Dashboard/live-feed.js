// What views hear of the live stream beside the notices: events as they come, and positions of the part of the earth that they show.

const eventListeners = new Set();
const positionListeners = new Set();
let wanted = null;
let wantedChanged = () => {};

/**
 * Calls a function for each event that comes, with the event as `/v1/events` writes it.
 *
 * @param {(event: object) => void} listener
 * @returns {() => void} Ends it.
 */
export function onEvents(listener) {
  eventListeners.add(listener);
  return () => eventListeners.delete(listener);
}

/**
 * Calls a function with the newest positions, an array of `{deviceId, latitude, longitude, timestamp, accuracy?, course?, speed?,
 * battery?}`, while `wantPositions` asks for them.
 *
 * @param {(positions: object[]) => void} listener
 * @returns {() => void} Ends it.
 */
export function onPositions(listener) {
  positionListeners.add(listener);
  return () => positionListeners.delete(listener);
}

/**
 * Asks for the positions of a part of the earth, in place of the part asked for before. The stream is opened anew for it, without a
 * gap.
 *
 * @param {'all'|[number, number, number, number]|null} area West, south, east, north in degrees; null for none.
 */
export function wantPositions(area) {
  const text = area === null ? null : area === 'all' ? 'all' : area.map((value) => value.toFixed(5)).join(',');
  if (text === wanted) return;
  wanted = text;
  wantedChanged();
}

/** Whether the stream tells the positions that are wanted. */
export const isFollowing = () => wanted !== null && feed.opened === wanted;

/** For the module that holds the stream. */
export const feed = {
  /** What the open stream was asked for; null when there is none, or it tells no positions. */
  opened: null,
  /** What to ask for, as the service's parameter `positions`; null for nothing. */
  get positions() { return wanted; },
  get hasEventListeners() { return eventListeners.size > 0; },
  /** @param {() => void} callback Called when `positions` is another one. */
  onWanted(callback) { wantedChanged = callback; },
  tellEvent(event) { for (const listener of eventListeners) listener(event); },
  tellPositions(positions) { for (const listener of positionListeners) listener(positions); },
};
