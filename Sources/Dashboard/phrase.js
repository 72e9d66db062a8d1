// Translated sentences that contain elements, such as highlighted names.

import { t } from './translate.js';

const mark = '\u0001';

/**
 * The text of a key, with elements in place of `{name}`.
 *
 * @param {string} key
 * @param {Object<string, Node|string|null>} parts
 * @returns {(Node|string)[]}
 */
export function phrase(key, parts) {
  const marked = Object.fromEntries(Object.keys(parts).map((name) => [name, `${mark}${name}${mark}`]));
  return t(key, marked).split(mark).map((text, place) => (place % 2 ? parts[text] ?? '' : text)).filter((part) => part !== '');
}
