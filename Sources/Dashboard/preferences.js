// What a person prefers, kept in the browser and, where the service can, with the person's token.

const storageKey = 'picket.preferences';
const address = '/v1/me/preferences';

/**
 * @typedef {object} Preferences
 * @property {'system'|'light'|'dark'} theme
 * @property {'system'|'en'|'tr'} language
 * @property {'metric'|'imperial'} units
 * @property {string} timeZone `system`, or an IANA name.
 */

/** The choices of each preference; those of `timeZone` are the browser's. */
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
    // A browser that keeps nothing for this page, or holds something else under the key, starts with the defaults.
    return { values: { ...defaults }, isUnsent: false };
  }
}

function write() {
  try {
    localStorage.setItem(storageKey, JSON.stringify(stored));
  } catch {
    // A browser that keeps nothing for this page still uses the choice until the page is closed.
  }
}

/**
 * The defaults, with those of the given values that can be used.
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
 * Brings the copy of the service and the browser's together: a change made here goes there, else theirs comes here. A service
 * without such a copy is left alone, silently.
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
    // The browser's copy stands until the next time.
  }
}

let spoken = null;

/** Writes the page in a language for now, whatever the person prefers; null ends that. @param {'en'|'tr'|null} name */
export const speak = (name) => { spoken = name; };

/** The language to write in, by preference or by the browser's order. @returns {'en'|'tr'} */
export function language() {
  if (spoken) return spoken;
  if (stored.values.language !== 'system') return stored.values.language;
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag === 'en' || tag === 'tr');
  return wanted ?? 'en';
}

/** How to write numbers and times. @returns {import('./format.js').Style} */
export function style() {
  const { timeZone, units } = stored.values;
  const locale = navigator.languages.find((tag) => tag.startsWith(language())) ?? language();
  return { locale, timeZone: timeZone === 'system' ? undefined : timeZone, units };
}
