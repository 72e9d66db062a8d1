// Parts that all views are made of.

import { h, icon } from './dom.js';
import { formatAge, formatNumber, formatTime } from './format.js';
import { style } from './preferences.js';
import { app, changed, whyReadOnly } from './state.js';
import { t } from './translate.js';

/**
 * The attributes of a button that may not be usable now. It stays focusable and says why.
 *
 * @param {string|null} reason Why it cannot be used.
 * @param {boolean} isRunning
 * @param {string} [reasonId] Of the element that says the reason.
 */
const usability = (reason, isRunning, reasonId = 'read-only-reason') => ({
  title: reason, 'aria-disabled': isRunning || reason ? 'true' : null, 'aria-busy': isRunning ? 'true' : null, 'aria-describedby': reason ? reasonId : null,
});

/**
 * A button. One that cannot be used now stays focusable and says why.
 *
 * @param {string} label
 * @param {() => void} action
 * @param {{iconName?: string, kind?: string, isWrite?: boolean, isRunning?: boolean, id?: string, name?: string, key?: string}} [options]
 *     `isWrite`: it changes something. `name`: what a screen reader says in place of the label.
 */
export function button(label, action, { iconName, kind = '', isWrite = false, isRunning = false, id, name, key } = {}) {
  const reason = isWrite ? whyReadOnly() : null;
  const isOff = isRunning || reason !== null;
  const attributes = {
    type: 'button', class: `button ${kind}`.trim(), id, 'data-key': key, 'aria-label': name, ...usability(reason, isRunning),
    onclick: () => { if (!isOff) action(); },
  };
  return h('button', attributes, iconName ? icon(isRunning ? 'refresh' : iconName, isRunning ? 'turning' : '') : null, h('span', {}, label));
}

/**
 * The button that sends a form. The form's own handler sends nothing while the button cannot be used.
 *
 * @param {string} id
 * @param {string} label
 * @param {{isWrite?: boolean, isRunning?: boolean, kind?: string, reasonId?: string}} [options]
 *     `isWrite`: the form changes something. `reasonId`: the element that says why it cannot be used.
 */
export const submitButton = (id, label, { isWrite = true, isRunning = false, kind = '', reasonId } = {}) =>
  h('button', { type: 'submit', class: `button primary ${kind}`.trim(), id, ...usability(isWrite ? whyReadOnly() : null, isRunning, reasonId) }, label);

/**
 * A section with a heading and, below, a footer that explains it.
 *
 * @param {string} id
 * @param {string} title
 * @param {any} content
 * @param {string} [footer]
 */
export const section = (id, title, content, footer) =>
  h('section', { id, 'data-key': id, 'aria-labelledby': `${id}-title` },
    h('h2', { id: `${id}-title` }, title), content, footer ? h('p', { class: 'footer' }, footer) : null);

/**
 * A part that is closed until a person opens it. What is in it is made, and loaded, only while it is open.
 *
 * @param {string} key Names it among all that are open.
 * @param {any} summary
 * @param {() => any} content
 * @param {string} [id]
 */
export function disclosure(key, summary, content, id) {
  const note = ({ target }) => {
    // An element that is made open tells so, too.
    if (target.open === app.open.has(key)) return;
    if (target.open) app.open.add(key);
    else app.open.delete(key);
    changed();
  };
  const isOpen = app.open.has(key);
  return h('details', { class: 'card', id, 'data-key': key, open: isOpen, ontoggle: note }, h('summary', {}, summary), isOpen ? content() : null);
}

/** The heading of a view. It takes the focus when the view changes. */
export const heading = (title, ...beside) => h('header', { class: 'view-header' }, h('h1', { id: 'view-title', tabindex: '-1' }, title), beside);

/** @param {string} text */
export const empty = (text) => h('p', { class: 'empty' }, text);

const age = (milliseconds) => formatAge(Math.max(0, (Date.now() - milliseconds) / 1000), style());

/** When something was loaded, as a sentence. @param {number} milliseconds Since 1970. */
export const loadedAge = (milliseconds) => (Date.now() - milliseconds < 60_000 ? t('loadedNow') : t('loadedAgo', { age: age(milliseconds) }));

/** A moment as its age, with the exact time on hover and for machines. @param {string} text RFC 3339. */
export const since = (text) => h('time', { datetime: text, title: formatTime(text, style()) }, age(Date.parse(text)));

/**
 * A device's name, which says of a simulated phone that it is one.
 *
 * @param {string} name
 * @param {string|undefined} registry
 */
export const deviceName = (name, registry) => h('span', { class: 'device-name' }, h('bdi', {}, name), registry === 'simulated' ? ` ${t('simulated')}` : null);

/** @param {number} value */
export const number = (value) => formatNumber(value, style());

/** A command to type in a terminal. @param {string} text */
export const command = (text) => h('code', { class: 'command' }, text);

/** A state as icon and text. @param {string} tone `good`, `warning`, `bad` or `neutral`. */
export const badge = (tone, iconName, text) => h('span', { class: `badge ${tone}` }, icon(iconName), h('span', {}, text));
