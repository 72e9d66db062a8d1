// Loads the modules of views when they are first shown.

import { h } from './dom.js';
import { button, heading } from './parts.js';
import { changed } from './state.js';
import { t } from './translate.js';

/** Shown while a view's module is being loaded. */
const waiting = { title: () => t('Loading …'), view: () => [h('p', { class: 'loading', role: 'status' }, t('Loading …'))] };

/** Seconds after which a module that is still being loaded counts as not loaded. If it arrives later, it is shown nevertheless. */
const loadingLimit = 15;

/** The storage key of the last time at which the page was reloaded for a view. */
const reloadKey = 'picket.reloadedAt';
/** Milliseconds between two such reloads. */
const reloadInterval = 60_000;

/**
 * Returns a function that finds a view by name: its module, a placeholder while it is being loaded, or undefined if there is no such view.
 * The function's `retry()` loads the views again that could not be loaded.
 *
 * @param {Object<string, () => Promise<object>>} modules
 */
export function lazyViews(modules) {
  const views = {};

  /** Shown if a view's module could not be loaded. */
  const notLoaded = {
    title: () => t('This is not loaded yet.'),
    view: () => [heading(t('This is not loaded yet.')), h('p', {}, button(t('Try Again'), retry))],
  };

  const show = (name, view) => {
    views[name] = view;
    changed();
  };

  function start(name, onFailure) {
    views[name] = waiting;
    const timer = setTimeout(() => show(name, notLoaded), loadingLimit * 1000);
    modules[name]().then((module) => show(name, module), onFailure).finally(() => clearTimeout(timer));
  }

  function retry() {
    for (const [name, view] of Object.entries(views)) {
      if (view !== notLoaded) continue;
      start(name, () => {
        show(name, notLoaded);
        reloadPage();
      });
    }
    changed();
  }

  const find = (name) => {
    if (!Object.hasOwn(modules, name)) return undefined;
    if (!views[name]) start(name, () => show(name, notLoaded));
    return views[name];
  };
  find.retry = retry;
  return find;
}

/** Loads the page again, because some browsers never request a module again that could not be loaded. Not more than once a minute. */
function reloadPage() {
  const last = Number(sessionStorage.getItem(reloadKey)) || 0;
  if (Date.now() - last < reloadInterval) return;
  sessionStorage.setItem(reloadKey, String(Date.now()));
  location.reload();
}
