// Deleting: asked for once, and undone for ten seconds. The service hears of it only after that time, or when the page is left.

import { request } from './api.js';
import { h, patchChildren } from './dom.js';
import { button } from './parts.js';
import { changed, load, run } from './state.js';
import { t } from './translate.js';

/** Seconds in which a deletion can be undone. */
const undoTime = 10;

/** @type {Map<string, {path: string, text: string, key: string, listPath: string, timer: number, isSent: boolean}>} By path. */
const removals = new Map();

/** Whether the thing at a path is gone in the eyes of a person. @param {string} path */
export const isBeingRemoved = (path) => removals.has(path);

/**
 * Removes a thing after the time to undo it.
 *
 * @param {{path: string, text: string, key: string, listPath: string}} removal `text` says what was removed, `key` names the operation
 *     whose problem is shown when it fails, and `listPath` is loaded again afterwards.
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

/** Sends what waits, for the page is going away: the requests outlive it. */
window.addEventListener('pagehide', () => {
  for (const removal of removals.values()) {
    if (removal.isSent) continue;
    removal.isSent = true;
    clearTimeout(removal.timer);
    // Nobody is left to tell of a failure: the thing is still there the next time.
    request('DELETE', removal.path, undefined, { keepalive: true }).catch(() => {});
  }
});

/** A page that comes back from the browser's cache shows what is there now. */
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
