// Views whose modules are loaded when they are first shown.

import { h } from './dom.js';
import { button, heading } from './parts.js';
import { changed } from './state.js';
import { t } from './translate.js';

/** Shown while a view's module is loaded. */
const waiting = { title: () => t('loading'), view: () => [h('p', { class: 'loading', role: 'status' }, t('loading'))] };

/** Shown when a view's module did not come. A browser does not ask for it again before the page is loaded anew. */
const notLoaded = {
  title: () => t('notLoaded'),
  view: () => [heading(t('notLoaded')), h('p', {}, button(t('tryAgain'), () => location.reload()))],
};

/**
 * A function that finds the view of a name: its module, what is shown until that is there, or undefined when there is no such view.
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
