// The states of loaded data: loading, failed, outdated, or available.

import { offlineReason } from './connection.js';
import { h, icon } from './dom.js';
import { empty, loadedAge } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, load } from './state.js';
import { t } from './translate.js';

/**
 * The content for loaded data: a sign while it is loading, the problem if loading failed, and the data, with its age if it is outdated.
 *
 * @param {string} path
 * @param {import('./state.js').Resource} resource
 * @param {(data: any) => any} content
 */
export function loaded(path, { data, loadedAt, problem }, content) {
  // While the page is offline, the page's banner says so.
  const isOffline = app.connection !== null && offlineReason(app.connection) !== null;
  const isStale = problem !== null || isOffline;
  if (data === null && !isStale) return h('p', { class: 'loading', role: 'status' }, icon('refresh', 'turning'), t('Loading …'));
  return [
    problem && !isOffline ? problemCard({ key: `load ${path}`, problem, onRetry: () => load(path) }) : null,
    isStale && data !== null ? h('p', { class: 'stale', role: 'note' }, loadedAge(loadedAt)) : null,
    data !== null ? content(data) : isOffline ? empty(t('This is not loaded yet.')) : null,
  ];
}
