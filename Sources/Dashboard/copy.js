// Text to copy, shown as code with a copy button.

import { h } from './dom.js';
import { button } from './parts.js';
import { announce } from './shell.js';
import { changed } from './state.js';
import { t } from './translate.js';

/** The key of the text that was copied last, while the button confirms it; otherwise null. */
let copied = null;
/** Milliseconds for which the button confirms that the text was copied. */
const shownFor = 3000;

/**
 * A text as code, with a button that copies it.
 *
 * @param {string} key
 * @param {string} label The description of the text for screen readers.
 * @param {string} text
 */
export function copyable(key, label, text) {
  const isCopied = copied === key;
  return h('div', { class: 'copyable', 'data-key': `copyable ${key}` },
    h('code', { class: 'command', 'data-copy': key }, text),
    button(isCopied ? t('Copied') : t('Copy'), () => copy(key, text), {
      name: isCopied ? undefined : t('Copy {what}', { what: label }), key: 'copy', iconName: isCopied ? 'checkmark.circle' : undefined,
    }));
}

async function copy(key, text) {
  if (!(await write(text))) return;
  copied = key;
  announce(t('Copied'));
  changed();
  setTimeout(() => {
    if (copied !== key) return;
    copied = null;
    changed();
  }, shownFor);
}

/**
 * Browsers allow access to the clipboard only on secure pages (HTTPS or localhost). On other pages, the text is selected so that it can be
 * copied manually.
 */
async function write(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const code = [...document.querySelectorAll('code[data-copy]')].find((element) => element.textContent === text);
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}
