// A person's preferences, stored in the browser and, if possible, with the person's token in the service.

const storageKey = 'picket.preferences';
const address = '/v1/me/preferences';

/**
 * @typedef {object} Preferences
 * @property {'system'|'light'|'dark'} theme
 * @property {'system'|'en'|'tr'} language
 * @property {'metric'|'imperial'} units
 * @property {string} timeZone `system`, or an IANA name.
 */

/** The possible values of each preference. For `timeZone`, the browser defines them. */
export const choices = { theme: ['system', 'light', 'dark'], language: ['system', 'en', 'tr'], units: ['metric', 'imperial'] };

/** @type {Preferences} */
const defaults = { theme: 'system', language: 'system', units: 'metric', timeZone: 'system' };

let stored = read();

/** @returns {Preferences} */
export const preferences = () => stored.values;

function read() {
  try {
    const found = JSON.parse(localStorage.getItem(storageKey) ?? '{}');
    return { values: valid(found.values), isUnsent: found.isUnsent === true };
  } catch {
    // If the browser stores no data, or something else under the key, the defaults apply.
    return { values: { ...defaults }, isUnsent: false };
  }
}

function write() {
  try {
    localStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // If the browser stores no data for this page, the choice applies until the page is closed.
  }
}

/**
 * The defaults combined with the valid ones of the given values.
 *
 * @param {Partial<Preferences>} [values]
 * @returns {Preferences}
 */
export function valid(values = {}) {
  const result = { ...defaults };
  for (const [name, known] of Object.entries(choices)) if (known.includes(values[name])) result[name] = values[name];
  if (isTimeZone(values.timeZone)) result.timeZone = values.timeZone;
  return result;
}

function isTimeZone(name) {
  if (typeof name !== 'string' || name === 'system') return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/**
 * @param {keyof Preferences} name
 * @param {string} value
 */
export function setPreference(name, value) {
  stored = { values: valid({ ...stored.values, [name]: value }), isUnsent: true };
  write();
}

/**
 * Synchronizes the preferences with the service: a local change is sent, otherwise the service's copy is loaded. If the service has none,
 * nothing happens.
 *
 * @param {(method: string, path: string, body?: object) => Promise<any>} request
 */
export async function syncPreferences(request) {
  try {
    if (stored.isUnsent) await request('PUT', address, stored.values);
    else stored.values = valid(await request('GET', address));
    stored.isUnsent = false;
    write();
  } catch {
    // The browser's copy is used until the next attempt.
  }
}

let spoken = null;

/** Temporarily overrides the preferred language of the page; null ends that. @param {'en'|'tr'|null} name */
export const speak = (name) => { spoken = name; };

/** The language of the page, from the preferences or the browser's languages. @returns {'en'|'tr'} */
export function language() {
  if (spoken) return spoken;
  if (stored.values.language !== 'system') return stored.values.language;
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'en' || tag === 'tr');
  return wanted ?? 'en';
}

/** How numbers and times are formatted. @returns {import('./format.js').Style} */
export function style() {
  const { timeZone, units } = stored.values;
  const locale = navigator.languages.find((tag) => tag.startsWith(language())) ?? language();
  return { locale, timeZone: timeZone === 'system' ? undefined : timeZone, units };
}
