// Formats numbers, times and lengths. Pure: the language, the time zone, the units and the current time are parameters.

/**
 * @typedef {object} Style
 * @property {string} locale For example `en-GB` or `tr`.
 * @property {string|undefined} timeZone An IANA name; undefined for the browser's own.
 * @property {'metric'|'imperial'} units
 */

/** Cached formatters by their options. Creating one takes a hundred times as long as using it. */
const formatters = new Map();

/**
 * A cached formatter of `Intl`.
 *
 * @param {'DateTimeFormat'|'NumberFormat'|'RelativeTimeFormat'} kind
 * @param {string} locale
 * @param {object} [options]
 */
export function formatter(kind, locale, options = {}) {
  const key = `${kind} ${locale} ${JSON.stringify(options)}`;
  if (!formatters.has(key)) formatters.set(key, new Intl[kind](locale, options));
  return formatters.get(key);
}

/**
 * @param {string|number} moment RFC 3339, or milliseconds since 1970.
 * @param {Style} style
 */
export function formatTime(moment, style) {
  const options = { dateStyle: 'medium', timeStyle: 'medium', timeZone: style.timeZone };
  return formatter('DateTimeFormat', style.locale, options).format(new Date(moment));
}

const steps = [['year', 31_557_600], ['month', 2_629_800], ['day', 86_400], ['hour', 3600], ['minute', 60]];

/**
 * An age, for example "3 minutes ago". Below one minute it is "now", so that the page does not change every second.
 *
 * @param {number} seconds
 * @param {Style} style
 */
export function formatAge(seconds, style) {
  const relative = formatter('RelativeTimeFormat', style.locale, { numeric: 'auto' });
  const found = steps.find(([, length]) => seconds >= length);
  return found ? relative.format(-Math.floor(seconds / found[1]), found[0]) : relative.format(0, 'second');
}

const feetPerMeter = 1 / 0.3048;
const metersPerMile = 1609.344;

/**
 * A length in meters below one kilometer, otherwise in kilometers; or in feet below a tenth of a mile, otherwise in miles.
 *
 * @param {number} meters
 * @param {Style} style
 */
export function formatLength(meters, style) {
  const write = (value, unit, digits) =>
    formatter('NumberFormat', style.locale, { style: 'unit', unit, maximumFractionDigits: digits }).format(value);
  if (style.units === 'imperial') {
    const miles = meters / metersPerMile;
    return miles < 0.1 ? write(meters * feetPerMeter, 'foot', 0) : write(miles, 'mile', 1);
  }
  return meters < 999.5 ? write(meters, 'meter', 0) : write(meters / 1000, 'kilometer', 1);
}

/**
 * A duration in its two largest units, for example "2 hr 5 min"; in seconds below one minute.
 *
 * @param {number} seconds
 * @param {Style} style
 */
export function formatDuration(seconds, style) {
  const write = (value, unit) => formatter('NumberFormat', style.locale, { style: 'unit', unit, unitDisplay: 'short' }).format(value);
  const whole = Math.round(seconds);
  if (whole < 60) return write(whole, 'second');
  const minutes = Math.round(seconds / 60);
  const parts = minutes < 1440
    ? [[Math.floor(minutes / 60), 'hour'], [minutes % 60, 'minute']]
    : [[Math.floor(Math.round(minutes / 60) / 24), 'day'], [Math.round(minutes / 60) % 24, 'hour']];
  return parts.filter(([value]) => value > 0).map(([value, unit]) => write(value, unit)).join(' ');
}

/**
 * The time of day.
 *
 * @param {string|number} moment RFC 3339, or milliseconds since 1970.
 * @param {Style} style
 */
export const formatClock = (moment, style) =>
  formatter('DateTimeFormat', style.locale, { timeStyle: 'medium', timeZone: style.timeZone }).format(new Date(moment));

/**
 * A date with its weekday.
 *
 * @param {string} date For example `2026-05-12`.
 * @param {Style} style
 * @param {Intl.DateTimeFormatOptions} [options]
 */
export const formatDate = (date, style, options = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }) =>
  formatter('DateTimeFormat', style.locale, { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00:00Z`));

/**
 * A speed in kilometers or miles per hour.
 *
 * @param {number} speed Meters per second.
 * @param {Style} style
 */
export function formatSpeed(speed, style) {
  const [value, unit] = style.units === 'imperial' ? [(speed * 3600) / metersPerMile, 'mile-per-hour'] : [speed * 3.6, 'kilometer-per-hour'];
  return formatter('NumberFormat', style.locale, { style: 'unit', unit, maximumFractionDigits: 0 }).format(value);
}

/**
 * @param {number} value
 * @param {Style} style
 */
export const formatNumber = (value, style) => formatter('NumberFormat', style.locale).format(value);

/**
 * A position in degrees with five decimals, which is a precision of about one meter.
 *
 * @param {number} latitude
 * @param {number} longitude
 */
export const formatCoordinate = (latitude, longitude) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
