// Creates the id of a device from its name. Pure.

/** The maximum number of characters of such an id. */
const longest = 64;

/**
 * The name in lower case with hyphens between words, reduced to ASCII letters and digits; accents are removed. Empty if nothing remains.
 *
 * @param {string} name
 */
export function idOfName(name) {
  const plain = name.toLowerCase().replaceAll('ı', 'i').replaceAll('ß', 'ss').normalize('NFD').replace(/[\u0300-\u036f’']/g, '');
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '').slice(0, longest).replace(/-+$/, '');
}

/**
 * The id itself if it is free, otherwise the id with the first free number as a suffix.
 *
 * @param {string} id
 * @param {Set<string>} taken
 */
export function freeId(id, taken) {
  let free = id;
  for (let number = 2; free && taken.has(free); number += 1) free = `${id.slice(0, longest - 4)}-${number}`;
  return free;
}
