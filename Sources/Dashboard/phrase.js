// Translated sentences that contain elements, such as highlighted names.

import { t } from './translate.js';

const mark = '\u0001';

/**
 * A text in the selected language, with elements in place of `{name}`.
 *
 * @param {string} english A literal, or a text that `text` marks.
 * @param {Object<string, Node|string|null>} parts
 * @returns {(Node|string)[]}
 */
export function phrase(english, parts) {
  const marked = Object.fromEntries(Object.keys(parts).map((name) => [name, `${mark}${name}${mark}`]));
  return t(english, marked).split(mark).map((text, place) => (place % 2 ? parts[text] ?? '' : text)).filter((part) => part !== '');
}
