// How long devices were seen in geofences each day. Pure.

/**
 * @typedef {object} Series
 * @property {string} id The id of the geofence.
 * @property {string} name
 * @property {number[]} seconds One value for each day.
 * @property {number} total In seconds.
 */

/**
 * Adds up the totals of each day by geofence. The series with the longest time is first.
 *
 * @param {{geofenceId: string, geofenceName?: string, seenSeconds: number}[][]} totals The totals of each day from the service, by device
 *     and geofence.
 * @returns {Series[]}
 */
export function presenceByDay(totals) {
  /** @type {Map<string, Series>} */
  const found = new Map();
  totals.forEach((ofDay, day) => {
    for (const { geofenceId: id, geofenceName, seenSeconds } of ofDay) {
      if (!(seenSeconds > 0)) continue;
      const series = found.get(id) ?? { id, name: id, seconds: totals.map(() => 0), total: 0 };
      // The name on the newest day is used.
      series.name = geofenceName ?? id;
      series.seconds[day] += seenSeconds;
      series.total += seenSeconds;
      found.set(id, series);
    }
  });
  return [...found.values()].sort((a, b) => b.total - a.total || (a.id < b.id ? -1 : 1));
}

/**
 * Limits the number of series. The remaining ones are combined into one, whose `count` is their number.
 *
 * @param {Series[]} series Sorted by time, longest first.
 * @param {number} most
 * @returns {(Series & {count?: number})[]}
 */
export function atMost(series, most) {
  if (series.length <= most) return series;
  const rest = series.slice(most - 1);
  const sum = (key) => rest.reduce((total, one) => total + key(one), 0);
  const others = { id: '', name: '', count: rest.length, total: sum((one) => one.total), seconds: rest[0].seconds.map((_, day) => sum((one) => one.seconds[day])) };
  return [...series.slice(0, most - 1), others];
}

/** The possible steps of an axis in hours. */
const steps = [0.25, 0.5, 1, 2, 3, 6, 12, 24, 48, 120, 240, 480, 1200, 2400, 4800, 12_000];

/** The marks of an axis up to a number of hours: four equal steps from 0. @param {number} hours */
export function axisOf(hours) {
  const step = steps.find((one) => one * 4 >= hours) ?? Math.ceil(hours / 4);
  return [0, 1, 2, 3, 4].map((place) => place * step);
}
