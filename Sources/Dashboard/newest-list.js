// A list with the newest items first, loaded in pages and kept up to date: new items are added at its beginning, and earlier ones at its
// end on request. Pure.

/**
 * @template Item
 * @typedef {object} NewestList
 * @property {Item[]} items Newest first.
 * @property {string|null} earlier The start of the preceding page; null if everything is loaded.
 */

/**
 * @template Item
 * @typedef {object} Part A page from the service.
 * @property {Item[]} items Newest first.
 * @property {string|null} earlier
 */

/** The order of events: by time, then by number. */
export const compareEvents = (a, b) => compare(a.occurredAt, b.occurredAt) || a.sequence - b.sequence;

/** The order of visits: by enter, then by device and geofence. */
export const compareVisits = (a, b) => compare(a.enteredAt, b.enteredAt) || compare(a.deviceId, b.deviceId) || compare(a.geofenceId, b.geofenceId);

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The list after its first page was loaded again. In the range of the page, items that it no longer contains are removed.
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
  // If the page and the known items do not overlap, there may be items between them that were not loaded.
  const isJoined = list.items.some((item) => order(item, last) >= 0);
  return isJoined ? { items: [...part.items, ...older], earlier: older.length ? list.earlier : part.earlier } : part;
}

/**
 * The list with the preceding page added at its end.
 *
 * @template Item
 * @param {NewestList<Item>} list
 * @param {Part<Item>} part
 * @returns {NewestList<Item>}
 */
export const withEarlierPart = (list, part) => ({ items: [...list.items, ...part.items], earlier: part.earlier });
