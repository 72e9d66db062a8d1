// Loads the modules of views when they are first shown.

import { h } from './dom.js';
import { button, heading } from './parts.js';
import { changed } from './state.js';
import { t } from './translate.js';

/** Shown while a view's module is being loaded. */
const waiting = { title: () => t('loading'), view: () => [h('p', { class: 'loading', role: 'status' }, t('loading'))] };

/** Shown if a view's module could not be loaded. Browsers do not request it again until the page is reloaded. */
const notLoaded = {
  title: () => t('notLoaded'),
  view: () => [heading(t('notLoaded')), h('p', {}, button(t('tryAgain'), () => location.reload()))],
};

/**
 * Returns a function that finds a view by name: its module, a placeholder while it is being loaded, or undefined if there is no such view.
 *
 * @param {Object<string, () => Promise<object>>} modules
 * @returns {(name: string) => object|undefined}
 */
export function lazyViews(modules) {
  const views = {};
  return (name) => {
    if (!Object.hasOwn(modules, name)) return undefined;
    if (!views[name]) {
      views[name] = waiting;
      modules[name]().then((module) => { views[name] = module; }, () => { views[name] = notLoaded; }).then(changed);
    }
    return views[name];
  };
}
