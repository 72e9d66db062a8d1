// Components for all views.

import { h, icon } from './dom.js';
import { formatAge, formatNumber, formatTime } from './format.js';
import { style } from './preferences.js';
import { app, changed, whyReadOnly, whyUnreachable } from './state.js';
import { t } from './translate.js';

/**
 * The attributes of a button that may be disabled. A disabled button stays focusable and shows the reason.
 *
 * @param {string|null} reason Why the button is disabled; null if it is not.
 * @param {boolean} isRunning
 * @param {string} [reasonId] The id of the element with the reason.
 */
const usability = (reason, isRunning, reasonId = 'read-only-reason') => ({
  title: reason, 'aria-disabled': isRunning || reason ? 'true' : null, 'aria-busy': isRunning ? 'true' : null, 'aria-describedby': reason ? reasonId : null,
});

/**
 * A button. A disabled button stays focusable and shows the reason.
 *
 * @param {string} label
 * @param {() => void} action
 * @param {{iconName?: string, kind?: string, isWrite?: boolean, isForReaders?: boolean, isRunning?: boolean, id?: string, name?: string, key?: string}} [options]
 *     `isWrite`: whether the action changes something. `isForReaders`: whether readers may do it, too. `name`: the text for screen readers instead of the label.
 */
export function button(label, action, { iconName, kind = '', isWrite = false, isForReaders = false, isRunning = false, id, name, key } = {}) {
  const reason = !isWrite ? null : isForReaders ? whyUnreachable() : whyReadOnly();
  const isOff = isRunning || reason !== null;
  const attributes = {
    type: 'button', class: `button ${kind}`.trim(), id, 'data-key': key, 'aria-label': name, ...usability(reason, isRunning),
    onclick: () => { if (!isOff) action(); },
  };
  return h('button', attributes, iconName ? icon(isRunning ? 'refresh' : iconName, isRunning ? 'turning' : '') : null, h('span', {}, label));
}

/**
 * The submit button of a form. The form's handler must not send anything while the button is disabled.
 *
 * @param {string} id
 * @param {string} label
 * @param {{isWrite?: boolean, isRunning?: boolean, kind?: string, reasonId?: string}} [options]
 *     `isWrite`: whether the form changes something. `reasonId`: the id of the element with the reason why the button is disabled.
 */
export const submitButton = (id, label, { isWrite = true, isRunning = false, kind = '', reasonId } = {}) =>
  h('button', { type: 'submit', class: `button primary ${kind}`.trim(), id, ...usability(isWrite ? whyReadOnly() : null, isRunning, reasonId) }, label);

/**
 * A section with a heading and an explanatory footer.
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
 * A section that is closed until the person opens it. Its content is created and loaded only while it is open.
 *
 * @param {string} key The key of the section in `app.open`.
 * @param {any} summary
 * @param {() => any} content
 * @param {string} [id]
 */
export function disclosure(key, summary, content, id) {
  const note = ({ target }) => {
    // The toggle event is also fired for an element that is created open.
    if (target.open === app.open.has(key)) return;
    if (target.open) app.open.add(key);
    else app.open.delete(key);
    changed();
  };
  const isOpen = app.open.has(key);
  return h('details', { class: 'card', id, 'data-key': key, open: isOpen, ontoggle: note }, h('summary', {}, summary), isOpen ? content() : null);
}

/** The heading of a view. It gets the focus when the view changes. */
export const heading = (title, ...beside) => h('header', { class: 'view-header' }, h('h1', { id: 'view-title', tabindex: '-1' }, title), beside);

/** @param {string} text */
export const empty = (text) => h('p', { class: 'empty' }, text);

const age = (milliseconds) => formatAge(Math.max(0, (Date.now() - milliseconds) / 1000), style());

/** An age that is exact to the second below one minute, for example "40 s ago". @param {number} seconds */
export const secondsAgo = (seconds) => (seconds < 60 ? t('{seconds} s ago', { seconds: Math.floor(seconds) }) : formatAge(seconds, style()));

/** When something was loaded, as a sentence. @param {number} milliseconds Since 1970. */
export const loadedAge = (milliseconds) => (Date.now() - milliseconds < 60_000 ? t('Loaded just now.') : t('Loaded {age}.', { age: age(milliseconds) }));

/** The age of a moment, with the exact time as the title and the machine-readable value. @param {string} text RFC 3339. */
export const since = (text) => h('time', { datetime: text, title: formatTime(text, style()) }, age(Date.parse(text)));

/**
 * A device's name, with a note if the phone is simulated.
 *
 * @param {string} name
 * @param {string|undefined} registry
 */
export const deviceName = (name, registry) => h('span', { class: 'device-name' }, h('bdi', {}, name), registry === 'simulated' ? ` ${t('(simulated)')}` : null);

/** @param {number} value */
export const number = (value) => formatNumber(value, style());

/** A status with icon and text. @param {string} tone `good`, `warning`, `bad` or `neutral`. */
export const badge = (tone, iconName, text) => h('span', { class: `badge ${tone}` }, icon(iconName), h('span', {}, text));
