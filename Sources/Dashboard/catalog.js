// The translations of the texts of the page. The service has a file for each language; English needs none.

/** Milliseconds after which the page does not wait longer for a catalog. */
const loadingLimit = 10_000;

/**
 * @typedef {object} Catalog
 * @property {Object<string, string[]>} texts The translations by English text: one, or one for each form of a number.
 * @property {number[]} forms The index of the form for each number below 200. Larger numbers have the form of their last two digits.
 */

/** @type {Map<string, Catalog>} */
const catalogs = new Map([['en', { texts: {}, forms: [] }]]);

/** The loaded catalog of a language; undefined if it is not loaded. @param {string} tag For example `tr`. */
export const catalogOf = (tag) => catalogs.get(tag);

/** Loads the catalog of a language. If that fails, the page is in English until it is loaded. @param {string} tag For example `tr`. */
export async function loadCatalog(tag) {
  if (catalogs.has(tag)) return;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), loadingLimit);
  try {
    const response = await fetch(new URL(`texts-${tag}.json`, import.meta.url), { signal: limit.signal });
    if (response.ok) catalogs.set(tag, await response.json());
  } catch {
    // The service is unreachable. Each synchronization of the preferences tries it again.
  } finally {
    clearTimeout(timer);
  }
}

/** The form of a text for a number. @param {string[]} forms @param {number} count @param {Catalog} catalog */
export const formOf = (forms, count, catalog) => forms[catalog.forms[count < 200 ? count : 100 + (count % 100)]] ?? forms.at(-1);
