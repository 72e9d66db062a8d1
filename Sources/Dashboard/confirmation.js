// The question before something is deleted. It says what will be lost.

import { h } from './dom.js';
import { vibrate } from './haptics.js';
import { button } from './parts.js';
import { focusWhenDrawn, toggle } from './state.js';
import { t } from './translate.js';

/**
 * Opens a question and moves the focus to its confirm button.
 *
 * @param {string} key The key in `app.open` while the question is shown.
 * @param {string} name The same `name` as in `confirmation`.
 */
export function askToConfirm(key, name) {
  vibrate('deletionWarning');
  toggle(key);
  focusWhenDrawn(`confirm-${name}`);
}

/**
 * A question that was opened, with buttons to confirm and to cancel.
 *
 * @param {object} options
 * @param {string} options.key The key in `app.open` while the question is shown.
 * @param {string} options.name Part of the elements' ids: `confirm-NAME` is the confirm button.
 * @param {string} options.question
 * @param {any} options.loss What will be lost.
 * @param {string} [options.label] The text of the confirm button.
 * @param {() => void} options.action Deletes the object and closes the question.
 * @param {string} options.backTo The id of the button that opened the question. It gets the focus back after a cancel.
 */
export function confirmation({ key, name, question, loss, label = t('Remove'), action, backTo }) {
  const cancel = () => {
    toggle(key);
    focusWhenDrawn(backTo);
  };
  const attributes = {
    class: 'confirmation', role: 'group', 'aria-labelledby': `${name}-question`, 'aria-describedby': `${name}-loss`, 'data-key': 'confirmation',
  };
  return h('div', attributes,
    h('p', {}, h('strong', { id: `${name}-question` }, question), ' ', h('span', { id: `${name}-loss` }, loss)),
    h('p', { class: 'actions' },
      button(label, action, { kind: 'danger solid', isWrite: true, id: `confirm-${name}` }),
      button(t('Cancel'), cancel, { key: 'cancel' })));
}
