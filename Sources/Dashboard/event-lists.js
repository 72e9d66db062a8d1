// The loaded events and visits of a filter.

import { request } from './api.js';
import { requestPath } from './events-address.js';
import { compareEvents, compareVisits, withEarlierPart, withFirstPart } from './newest-list.js';
import { style } from './preferences.js';
import { resource, run } from './state.js';

const partLength = 100;

const kinds = {
  events: { order: compareEvents, after: 'before', partOf: (answer) => ({ items: answer.events, earlier: answer.earlier ?? null }) },
  visits: { order: compareVisits, after: 'after', partOf: (answer) => ({ items: answer.visits, earlier: answer.next ?? null }) },
};

/**
 * The lists by the path of their first page. Only the lists used last are kept.
 *
 * @type {Map<string, import('./newest-list.js').NewestList<object>>}
 */
const lists = new Map();
const mostLists = 8;

function keep(path, list) {
  lists.delete(path);
  lists.set(path, list);
  if (lists.size > mostLists) lists.delete(lists.keys().next().value);
  return list;
}

/** The path of a list's first page. @param {'events'|'visits'} kind @param {import('./events-address.js').EventFilter} filter */
export const listPath = (kind, filter) => requestPath(kind, filter, style().timeZone, { order: 'newest', limit: partLength });

/**
 * The list for a filter. It is loaded again when something happens.
 *
 * @param {'events'|'visits'} kind
 * @param {import('./events-address.js').EventFilter} filter
 * @returns {import('./state.js').Resource} The data is a `NewestList`.
 */
export function listOf(kind, filter) {
  const path = listPath(kind, filter);
  return resource(path, async () => {
    const { order, partOf } = kinds[kind];
    return keep(path, withFirstPart(lists.get(path) ?? null, partOf(await request('GET', path)), order));
  });
}

/** The key of the operation that loads an earlier page. @param {string} path */
export const earlierKey = (path) => `earlier ${path}`;

/** Loads the page before the loaded items. @param {'events'|'visits'} kind @param {import('./events-address.js').EventFilter} filter */
export function loadEarlier(kind, filter) {
  const path = listPath(kind, filter);
  return run(earlierKey(path), async () => {
    const { after, partOf } = kinds[kind];
    const { earlier } = lists.get(path);
    const part = partOf(await request('GET', `${path}&${after}=${encodeURIComponent(earlier)}`));
    const list = lists.get(path);
    // The list was loaded again in the meantime, and has another end.
    if (list.earlier !== earlier) return;
    resource(path).data = keep(path, withEarlierPart(list, part));
  });
}
