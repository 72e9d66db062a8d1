// Deletion with undo for ten seconds. The service is notified only after that time, or when the page is closed.

import { request } from './api.js';
import { h, patchChildren } from './dom.js';
import { vibrate } from './haptics.js';
import { button } from './parts.js';
import { changed, load, problemOf } from './state.js';
import { t } from './translate.js';

/** Seconds within which a deletion can be undone. */
const undoTime = 10;

/**
 * @typedef {object} Removal
 * @property {string} path The object's address.
 * @property {string} text Says that the object was deleted.
 * @property {string} failed Says that the object was not deleted.
 * @property {string} listPath The list that is loaded again afterward.
 */

/** @type {Map<string, Removal & {timer: number, isSent: boolean, problem: object|null}>} By path. */
const removals = new Map();

/** Whether an object is hidden because it is being deleted. @param {string} path */
export const isBeingRemoved = (path) => removals.has(path) && !removals.get(path).problem;

/** Deletes an object after the time for undo. @param {Removal} removal */
export function removeLater(removal) {
  const timer = setTimeout(() => send(removal.path), undoTime * 1000);
  removals.set(removal.path, { ...removal, timer, isSent: false, problem: null });
  drawNotices();
  changed();
  document.querySelector('#notices .notice:last-child button')?.focus();
}

function undo(path) {
  clearTimeout(removals.get(path).timer);
  forget(path);
}

function forget(path) {
  removals.delete(path);
  drawNotices();
  changed();
  document.getElementById('view-title')?.focus();
}

/** Deletes the object. If that fails, the object is shown again, and the failure stays visible on every view until the person closes it. */
async function send(path) {
  const removal = removals.get(path);
  Object.assign(removal, { isSent: true, problem: null });
  drawNotices();
  changed();
  try {
    await request('DELETE', path).catch(unlessGone);
    vibrate('deleted');
  } catch (failure) {
    removal.problem = problemOf(failure);
    vibrate('error');
  }
  await load(removal.listPath);
  if (!removal.problem) removals.delete(path);
  drawNotices();
  changed();
}

/** An object that no longer exists is deleted. */
function unlessGone(failure) {
  if (failure.status !== 404) throw failure;
}

/** Sends all waiting deletions when the page is closed. The requests continue after that. */
window.addEventListener('pagehide', () => {
  for (const removal of removals.values()) {
    if (removal.isSent) continue;
    removal.isSent = true;
    clearTimeout(removal.timer);
    // A failure can no longer be shown. The object then appears again when the page is next opened.
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
  const shown = [...removals.values()].filter((removal) => !removal.isSent || removal.problem);
  patchChildren(notices, shown.map((removal) => (removal.problem ? failure(removal) : h('div', { class: 'notice', 'data-key': removal.path },
    h('span', {}, removal.text), button(t('Undo'), () => undo(removal.path), { kind: 'plain' })))));
  if (hadFocus && shown.length === 0) document.getElementById('view-title')?.focus();
}

const failure = ({ path, failed, problem }) => h('div', { class: 'notice failed', 'data-key': `failed ${path}` },
  h('span', { role: 'alert' }, h('strong', {}, failed), ' ', problem.message),
  button(t('Try Again'), () => send(path), { kind: 'plain', key: 'retry' }),
  button('', () => forget(path), { kind: 'plain', iconName: 'xmark', name: t('Close'), key: 'close' }));
