// The states of loaded data: loading, failed, stale, there.

import { h, icon } from './dom.js';
import { age } from './parts.js';
import { problemCard } from './problem-card.js';
import { load } from './state.js';
import { t } from './translate.js';

/**
 * What is shown of loaded data: a sign while it loads, the problem when it failed, and the data with its age when it is stale.
 *
 * @param {string} path
 * @param {import('./state.js').Resource} resource
 * @param {(data: any) => any} content
 */
export function loaded(path, resource, content) {
  const parts = [];
  if (resource.problem) {
    parts.push(problemCard({ key: `load ${path}`, problem: resource.problem, onRetry: () => load(path), isQuiet: resource.data !== null }));
  }
  if (resource.data !== null) {
    if (resource.problem) parts.push(h('p', { class: 'stale', role: 'note' }, t('loadedAgo', { age: age(resource.loadedAt) })));
    parts.push(content(resource.data));
  } else if (!resource.problem) {
    parts.push(h('p', { class: 'loading', role: 'status' }, icon('refresh', 'turning'), t('loading')));
  }
  return parts;
}
