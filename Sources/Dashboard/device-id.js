// Makes a device's id of its name. Pure.

/** The most characters of an id that is made of a name. */
const longest = 64;

/**
 * Lower case, words joined by hyphens, letters and digits of ASCII alone; accents are taken off. Empty for a name that has none of these.
 *
 * @param {string} name
 */
export function idOfName(name) {
  const plain = name.toLowerCase().replaceAll('ı', 'i').replaceAll('ß', 'ss').normalize('NFD').replace(/[\u0300-\u036f’']/g, '');
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-+/, '').slice(0, longest).replace(/-+$/, '');
}

/**
 * The id itself when nothing has it, else with the first free number behind it.
 *
 * @param {string} id
 * @param {Set<string>} taken
 */
export function freeId(id, taken) {
  let free = id;
  for (let number = 2; free && taken.has(free); number += 1) free = `${id.slice(0, longest - 4)}-${number}`;
  return free;
}
