// The start and the end of days in a time zone. Pure: the time zone is a parameter.

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
 * When a date begins: the first moment with this date. If a clock change skips midnight, that is later than 00:00.
 *
 * @param {string} date For example `2026-05-12`.
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
 * The date a number of days later.
 *
 * @param {string} date
 * @param {number} days Negative for earlier dates.
 */
export const addDays = (date, days) => new Date(Date.parse(`${date}T00:00:00Z`) + days * dayLength).toISOString().slice(0, 10);

/** Whether a text is a valid date. @param {string|null|undefined} text */
export function isDate(text) {
  if (!/^\d{4}-\d\d-\d\d$/.test(text ?? '')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * @typedef {object} Day
 * @property {string} date
 * @property {number} begins Milliseconds since 1970.
 * @property {number} ends When the next day begins. A day with a clock change is not 24 hours long.
 */

/**
 * The days from one date to another, including both.
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
 * The date and the time of day of a moment, for example `2026-05-12T08:15:30`, as a `datetime-local` field expects it.
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
 * The moment of a date and a time of day. If a clock change repeats the time, the first one is returned. If it skips the time, the clock
 * before the change is used.
 *
 * @param {string} text For example `2026-05-12T08:15`, with optional seconds.
 * @param {string|undefined} zone
 * @returns {number} Milliseconds since 1970; NaN for an invalid text.
 */
export function momentOf(text, zone) {
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return NaN;
  const offset = (moment) => Date.parse(`${localTime(moment, zone)}Z`) - Math.floor(moment / 1000) * 1000;
  // The offsets a day earlier and a day later are those before and after a clock change.
  const candidates = [wall - offset(wall - dayLength), wall - offset(wall + dayLength)];
  return candidates.find((moment) => Date.parse(`${localTime(moment, zone)}Z`) === Math.floor(wall / 1000) * 1000) ?? candidates[0];
}
