// Deletion with undo for ten seconds. The service is told only after that time, or when the page is closed.

import { request } from './api.js';
import { h, patchChildren } from './dom.js';
import { button } from './parts.js';
import { changed, load, run } from './state.js';
import { t } from './translate.js';

/** Seconds within which a deletion can be undone. */
const undoTime = 10;

/** @type {Map<string, {path: string, text: string, key: string, listPath: string, timer: number, isSent: boolean}>} By path. */
const removals = new Map();

/** Whether an object is hidden because it is being deleted. @param {string} path */
export const isBeingRemoved = (path) => removals.has(path);

/**
 * Deletes an object after the time for undo.
 *
 * @param {{path: string, text: string, key: string, listPath: string}} removal `text` says what was deleted, `key` is the operation under
 *     which a failure is shown, and `listPath` is loaded again afterward.
 */
export function removeLater(removal) {
  const timer = setTimeout(() => send(removal.path), undoTime * 1000);
  removals.set(removal.path, { ...removal, timer, isSent: false });
  drawNotices();
  changed();
  document.querySelector('#notices .notice:last-child button')?.focus();
}

function undo(path) {
  clearTimeout(removals.get(path).timer);
  removals.delete(path);
  drawNotices();
  changed();
  document.getElementById('view-title')?.focus();
}

async function send(path) {
  const removal = removals.get(path);
  removal.isSent = true;
  drawNotices();
  await run(removal.key, () => request('DELETE', path), 'deleted');
  await load(removal.listPath);
  removals.delete(path);
  changed();
}

/** Sends all waiting deletions when the page is closed. The requests continue after that. */
window.addEventListener('pagehide', () => {
  for (const removal of removals.values()) {
    if (removal.isSent) continue;
    removal.isSent = true;
    clearTimeout(removal.timer);
    // Nobody can see a failure any more. The object is then shown again at the next visit.
    request('DELETE', removal.path, undefined, { keepalive: true }).catch(() => {});
  }
});

/** If the page is restored from the browser's cache, it shows the current state. */
window.addEventListener('pageshow', (event) => {
  if (!event.persisted) return;
  removals.clear();
  drawNotices();
  changed();
});

function drawNotices() {
  const notices = document.getElementById('notices');
  const hadFocus = notices.contains(document.activeElement);
  const shown = [...removals.values()].filter((removal) => !removal.isSent);
  patchChildren(notices, shown.map((removal) => h('div', { class: 'notice', 'data-key': removal.path },
    h('span', {}, removal.text), button(t('undo'), () => undo(removal.path), { kind: 'plain' }))));
  if (hadFocus && shown.length === 0) document.getElementById('view-title')?.focus();
}
