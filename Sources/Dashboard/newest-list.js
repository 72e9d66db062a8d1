// A list that begins with the newest, read in parts and kept up to date: new entries come at its beginning, earlier ones at its end
// when a person asks for them. Pure.

/**
 * @template Item
 * @typedef {object} NewestList
 * @property {Item[]} items The newest first.
 * @property {string|null} earlier Where the part before begins; null when all is there.
 */

/**
 * @template Item
 * @typedef {object} Part What the service has answered.
 * @property {Item[]} items The newest first.
 * @property {string|null} earlier
 */

/** The order of events: by time, then by number. */
export const compareEvents = (a, b) => compare(a.occurredAt, b.occurredAt) || a.sequence - b.sequence;

/** The order of visits: by enter, then by device and geofence. */
export const compareVisits = (a, b) => compare(a.enteredAt, b.enteredAt) || compare(a.deviceId, b.deviceId) || compare(a.geofenceId, b.geofenceId);

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The list with its first part read anew. What the part covers is as the part says: an entry that is no longer in it is gone.
 *
 * @template Item
 * @param {NewestList<Item>|null} list
 * @param {Part<Item>} part
 * @param {(a: Item, b: Item) => number} order
 * @returns {NewestList<Item>}
 */
export function withFirstPart(list, part, order) {
  const last = part.items.at(-1);
  if (!list || !part.earlier || !last) return part;
  const older = list.items.filter((item) => order(item, last) < 0);
  // Between the part and what was known there may be entries that nobody has read.
  const isJoined = list.items.some((item) => order(item, last) >= 0);
  return isJoined ? { items: [...part.items, ...older], earlier: older.length ? list.earlier : part.earlier } : part;
}

/**
 * The list with the part before its oldest entry.
 *
 * @template Item
 * @param {NewestList<Item>} list
 * @param {Part<Item>} part
 * @returns {NewestList<Item>}
 */
export const withEarlierPart = (list, part) => ({ items: [...list.items, ...part.items], earlier: part.earlier });
