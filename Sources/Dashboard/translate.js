// Translates texts into the selected language.

import { formatter } from './format.js';
import { words } from './words.js';
import { language, style } from './preferences.js';

/**
 * Adds the texts of a view that is loaded later. Their keys begin with the view's name.
 *
 * @param {Object<string, [string, string]>} pairs The English and the Turkish text for each key.
 */
export function addWords(pairs) {
  for (const [key, [english, turkish]] of Object.entries(pairs)) {
    words.en[key] = english;
    words.tr[key] = turkish;
  }
}

/**
 * The text of a key, with the values in place of `{name}`. A key whose text depends on a number has the forms `key.one` and `key.other`,
 * selected by the value `count`.
 *
 * @param {string} key
 * @param {Object<string, string|number>} [values]
 */
export function t(key, values = {}) {
  const catalog = words[language()];
  const form = 'count' in values ? formatter('PluralRules', language()).select(values.count) : '';
  const text = catalog[`${key}.${form}`] ?? catalog[`${key}.other`] ?? catalog[key];
  if (text === undefined) {
    console.error(`No words for '${key}' in '${language()}'.`);
    return key;
  }
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === 'number' ? formatter('NumberFormat', style().locale).format(value) : value ?? '';
  });
}
