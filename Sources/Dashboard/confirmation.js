// The question that is asked once before something is deleted. It says what is lost.

import { h } from './dom.js';
import { vibrate } from './haptics.js';
import { button } from './parts.js';
import { focusWhenDrawn, toggle } from './state.js';
import { t } from './translate.js';

/**
 * Opens a question, and gives its button the focus.
 *
 * @param {string} key What is in `app.open` while the question is asked.
 * @param {string} name As of `confirmation`.
 */
export function askToConfirm(key, name) {
  vibrate('deletionWarning');
  toggle(key);
  focusWhenDrawn(`confirm-${name}`);
}

/**
 * A question that was opened, with buttons to go on and to cancel.
 *
 * @param {object} options
 * @param {string} options.key What is in `app.open` while the question is asked.
 * @param {string} options.name Names the elements: `confirm-NAME` is the button that goes on.
 * @param {string} options.question
 * @param {any} options.loss What is lost.
 * @param {string} [options.label] Of the button that goes on.
 * @param {() => void} options.action Deletes, and closes the question.
 * @param {string} options.backTo The id of the button that asked. It gets the focus back after a cancel.
 */
export function confirmation({ key, name, question, loss, label = t('remove'), action, backTo }) {
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
      button(t('cancel'), cancel, { key: 'cancel' })));
}
