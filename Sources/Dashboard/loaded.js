// The states of loaded data: loading, failed, stale, there.

import { offlineReason } from './connection.js';
import { h, icon } from './dom.js';
import { empty, loadedAge } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, load } from './state.js';
import { t } from './translate.js';

/**
 * What is shown of loaded data: a sign while it loads, the problem when it failed, and the data, with its age when it is stale.
 *
 * @param {string} path
 * @param {import('./state.js').Resource} resource
 * @param {(data: any) => any} content
 */
export function loaded(path, { data, loadedAt, problem }, content) {
  // While the page is offline, its banner says so for all parts of the page.
  const isOffline = app.connection !== null && offlineReason(app.connection) !== null;
  const isStale = problem !== null || isOffline;
  if (data === null && !isStale) return h('p', { class: 'loading', role: 'status' }, icon('refresh', 'turning'), t('loading'));
  return [
    problem && !isOffline ? problemCard({ key: `load ${path}`, problem, onRetry: () => load(path) }) : null,
    isStale && data !== null ? h('p', { class: 'stale', role: 'note' }, loadedAge(loadedAt)) : null,
    data !== null ? content(data) : isOffline ? empty(t('notLoaded')) : null,
  ];
}
