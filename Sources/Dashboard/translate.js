// Translates texts into the selected language.
//
// An English text is written where it is used, as a literal: `tools/texts` finds it there, and adds it to the catalogs in `data/languages`.

import { catalogOf, formOf } from './catalog.js';
import { formatter } from './format.js';
import { language, style } from './preferences.js';

/**
 * A text in the selected language, with the values in place of `{name}`.
 *
 * @param {string} english A literal, or a text that `text` marks.
 * @param {Object<string, string|number>} [values]
 */
export const t = (english, values = {}) => filled(translationsOf(english)?.[0] ?? english, values);

/**
 * A text whose form depends on a number, which is the value of `{count}`.
 *
 * @param {number} count
 * @param {string} one The English text for the number 1, as a literal.
 * @param {string} other The English text for all other numbers, as a literal.
 * @param {Object<string, string|number>} [values]
 */
export function tn(count, one, other, values = {}) {
  const forms = translationsOf(one);
  return filled(forms ? formOf(forms, count, catalogOf(language())) : count === 1 ? one : other, { count, ...values });
}

/** Marks an English text for `tools/texts` that is translated later, when it is shown. @param {string} english A literal. */
export const text = (english) => english;

function translationsOf(english) {
  const translations = catalogOf(language()).texts[english];
  if (!translations && language() !== 'en' && /\p{L}/u.test(english.replace(/\{\w+\}/g, ''))) {
    console.error(`No translation of '${english}' in '${language()}'.`);
  }
  return translations;
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => {
  const value = values[name];
  return typeof value === 'number' ? formatter('NumberFormat', style().locale).format(value) : value ?? '';
});
