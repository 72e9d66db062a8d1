// Days in a time zone: when each begins and ends. Pure: the zone comes in.

/** @type {Map<string, Intl.DateTimeFormat>} */
const formatters = new Map();

function formatterOf(zone) {
  const key = zone ?? '';
  if (!formatters.has(key)) {
    const options = { timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', year: 'numeric', month: '2-digit', day: '2-digit' };
    formatters.set(key, new Intl.DateTimeFormat('en', options));
  }
  return formatters.get(key);
}

/**
 * The date of a moment, as `2026-05-12`.
 *
 * @param {number} milliseconds Since 1970.
 * @param {string|undefined} zone An IANA name; undefined is the browser's own.
 */
export function dateOf(milliseconds, zone) {
  const parts = Object.fromEntries(formatterOf(zone).formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  return `${parts.year.padStart(4, '0')}-${parts.month}-${parts.day}`;
}

const dayLength = 86_400_000;
/** Zones are at most 14 hours ahead of UTC and 12 behind; a day more where one has crossed the date line. */
const furthest = 40 * 3_600_000;

/**
 * When a date begins: the first moment whose date is not before it. Where a clock change skips midnight, that is later than 00:00.
 *
 * @param {string} date As `2026-05-12`.
 * @param {string|undefined} zone
 * @returns {number} Milliseconds since 1970.
 */
export function startOfDate(date, zone) {
  const middle = Date.parse(`${date}T00:00:00Z`);
  let before = middle - furthest;
  let after = middle + furthest;
  while (after - before > 1) {
    const between = Math.floor((before + after) / 2);
    if (dateOf(between, zone) < date) before = between;
    else after = between;
  }
  return after;
}

/**
 * The date so many days later.
 *
 * @param {string} date
 * @param {number} days May be negative.
 */
export const addDays = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) + days * dayLength).toISOString().slice(0, 10);

/** Whether a text is a date that there is. @param {string|null|undefined} text */
export function isDate(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? '')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * @typedef {object} Day
 * @property {string} date
 * @property {number} begins Milliseconds since 1970.
 * @property {number} ends When the next day begins. A day with a clock change is shorter or longer than 24 hours.
 */

/**
 * The days from one date to another, both included.
 *
 * @param {string} first
 * @param {string} last
 * @param {string|undefined} zone
 * @returns {Day[]}
 */
export function daysBetween(first, last, zone) {
  const days = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    days.push({ date, begins: startOfDate(date, zone), ends: startOfDate(addDays(date, 1), zone) });
  }
  return days;
}

/** @type {Map<string, Intl.DateTimeFormat>} */
const clocks = new Map();

/**
 * The date and the time of day of a moment, as `2026-05-12T08:15:30`, the form that a field for both takes.
 *
 * @param {number} milliseconds Since 1970.
 * @param {string|undefined} zone
 */
export function localTime(milliseconds, zone) {
  const key = zone ?? '';
  if (!clocks.has(key)) {
    const options = { timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' };
    clocks.set(key, new Intl.DateTimeFormat('en', options));
  }
  return `${dateOf(milliseconds, zone)}T${clocks.get(key).format(milliseconds)}`;
}

/**
 * The moment of a date and a time of day. One that a clock change repeats is the first; one that it skips is as late as the clock was
 * before it.
 *
 * @param {string} text As `2026-05-12T08:15` or with seconds.
 * @param {string|undefined} zone
 * @returns {number} Milliseconds since 1970; NaN for what is no time.
 */
export function momentOf(text, zone) {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return NaN;
  const offset = (moment) => Date.parse(`${localTime(moment, zone)}Z`) - Math.floor(moment / 1000) * 1000;
  // The offset a day before is that before a clock change, the one a day after that after it.
  const candidates = [wall - offset(wall - dayLength), wall - offset(wall + dayLength)];
  return candidates.find((moment) => Date.parse(`${localTime(moment, zone)}Z`) === Math.floor(wall / 1000) * 1000) ?? candidates[0];
}
