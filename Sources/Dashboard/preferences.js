// A person's preferences, stored in the browser and, if possible, with the person's token in the service.

import { catalogOf, loadCatalog } from './catalog.js';
import { languages } from './languages.js';

const storageKey = 'picket.preferences';
const address = '/v1/me/preferences';

/**
 * @typedef {object} Preferences
 * @property {'system'|'light'|'dark'} theme
 * @property {string} language `system`, or the tag of a language, for example `tr`.
 * @property {'metric'|'imperial'} units
 * @property {string} timeZone `system`, or an IANA name.
 */

/** The tags of the available languages. */
const tags = languages.map(({ tag }) => tag);

/** The possible values of each preference. For `timeZone`, the browser defines them. */
const choices = {
  theme: ['system', 'light', 'dark'], language: ['system', ...tags], units: ['metric', 'imperial'],
};

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
 * Sets a preference. A language is used when its texts are loaded.
 *
 * @param {keyof Preferences} name
 * @param {string} value
 */
export async function setPreference(name, value) {
  if (name === 'language') await loadCatalog(languageFor(value));
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
  const before = stored;
  try {
    let { values } = before;
    if (before.isUnsent) {
      await request('PUT', address, values);
    } else {
      values = valid(await request('GET', address));
      await loadCatalog(languageFor(values.language));
    }
    // If the person has changed something in the meantime, that applies.
    if (stored !== before) return;
    stored = { values, isUnsent: false };
    write();
  } catch {
    // The browser's copy is used until the next attempt.
  }
}

let spoken = null;

/** Temporarily overrides the preferred language of the page; null ends that. @param {string|null} tag For example `tr`. */
export function speak(tag) {
  spoken = tag;
  return loadLanguage();
}

/** The first available one of the browser's languages. */
const browserLanguage = () => navigator.languages.flatMap((tag) => [tag, tag.split('-')[0]]).find((tag) => tags.includes(tag)) ?? 'en';

let systemLanguage = browserLanguage();
addEventListener('languagechange', () => { systemLanguage = browserLanguage(); });

/** The language for a preferred one. */
const languageFor = (preferred) => (preferred === 'system' ? systemLanguage : preferred);

const wantedLanguage = () => spoken ?? languageFor(stored.values.language);

/** Loads the texts of the preferred language. */
export const loadLanguage = () => loadCatalog(wantedLanguage());

/** The tag of the language of the page: the preferred one, or English while its texts are not loaded. */
export function language() {
  const wanted = wantedLanguage();
  return catalogOf(wanted) ? wanted : 'en';
}

/** How numbers and times are formatted. @returns {import('./format.js').Style} */
export function style() {
  const { timeZone, units } = stored.values;
  const tag = language();
  const locale = navigator.languages.find((other) => other.startsWith(tag)) ?? tag;
  return { locale, timeZone: timeZone === 'system' ? undefined : timeZone, units };
}
