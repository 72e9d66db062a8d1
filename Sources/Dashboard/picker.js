// A field with a list of choices that is searched while the person types (WAI-ARIA combobox). The service is asked for the choices.

import { h } from './dom.js';
import { changed } from './state.js';
import { t } from './translate.js';

/**
 * @typedef {object} Choice
 * @property {string} id
 * @property {string} name
 */

/** Milliseconds without a key press after which the service is asked. */
const patience = 180;

/** @type {Map<string, {isOpen: boolean, options: Choice[], active: number, turn: number, timer?: number, settings: object}>} */
const pickers = new Map();

/**
 * @param {object} settings
 * @param {string} settings.id The id of the field.
 * @param {string} settings.label
 * @param {Choice|null} settings.value The current choice.
 * @param {(text: string) => Promise<Choice[]>} settings.search Returns some choices that match a text.
 * @param {(choice: Choice) => void} settings.onPick
 */
export function picker(settings) {
  const { id, label, value } = settings;
  const state = pickers.get(id) ?? { isOpen: false, options: [], active: -1, turn: 0, settings };
  state.settings = settings;
  pickers.set(id, state);
  const isShown = state.isOpen && state.options !== null;
  showChosen(id, value);
  return h('div', { class: 'field picker', 'data-key': id },
    h('label', { for: id }, label),
    h('input', {
      id, type: 'text', role: 'combobox', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', value: value?.name ?? '',
      placeholder: t('Type to search'), 'aria-autocomplete': 'list', 'aria-expanded': String(isShown), 'aria-controls': `${id}-list`,
      'aria-activedescendant': isShown && state.active >= 0 ? `${id}-option-${state.active}` : null,
      oninput: () => ask(id), onkeydown: (event) => press(id, event), onclick: () => { if (!state.isOpen) ask(id, true); },
      onblur: () => close(id),
    }),
    h('ul', { id: `${id}-list`, class: 'picker-list', role: 'listbox', 'aria-label': label, hidden: !isShown },
      isShown && state.options.length === 0 ? h('li', {
        'data-key': 'none', class: 'picker-none', role: 'option', 'aria-disabled': 'true', 'aria-selected': 'false',
      }, t('Nothing matches.')) : null,
      isShown ? state.options.map((choice, place) => h('li', {
        id: `${id}-option-${place}`, 'data-key': place, role: 'option', 'data-id': choice.id, 'aria-selected': String(place === state.active),
        // The mousedown event comes before the field loses the focus.
        onmousedown: (event) => { event.preventDefault(); pick(id, place); },
      }, h('bdi', {}, choice.name), choice.id === choice.name ? null : h('span', { class: 'identifier' }, choice.id))) : null));
}

/** Shows a choice that was made elsewhere, unless the person is typing in the field. */
function showChosen(id, value) {
  queueMicrotask(() => {
    const input = document.getElementById(id);
    const name = value?.name ?? '';
    if (input && document.activeElement !== input && input.value !== name) input.value = name;
  });
}

function ask(id, isAll = false) {
  const state = pickers.get(id);
  const turn = ++state.turn;
  clearTimeout(state.timer);
  const text = isAll ? '' : document.getElementById(id).value.trim();
  state.timer = setTimeout(async () => {
    const options = await state.settings.search(text);
    // The answer to an outdated request is ignored.
    if (turn !== state.turn) return;
    Object.assign(state, { isOpen: true, options, active: text && options.length ? 0 : -1 });
    changed();
  }, isAll ? 0 : patience);
}

function close(id) {
  const state = pickers.get(id);
  state.turn += 1;
  clearTimeout(state.timer);
  state.isOpen = false;
  showChosen(id, state.settings.value);
  changed();
}

function pick(id, place) {
  const state = pickers.get(id);
  const choice = state.options[place];
  close(id);
  if (!choice) return;
  document.getElementById(id).value = choice.name;
  state.settings.onPick(choice);
}

function press(id, event) {
  const state = pickers.get(id);
  const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (move) {
    event.preventDefault();
    if (!state.isOpen) return ask(id, true);
    const count = state.options.length;
    if (count) state.active = (state.active + move + count + (state.active < 0 && move < 0 ? 1 : 0)) % count;
    changed();
    setTimeout(() => document.getElementById(`${id}-option-${state.active}`)?.scrollIntoView({ block: 'nearest' }));
  } else if (event.key === 'Enter') {
    event.preventDefault();
    if (state.isOpen) pick(id, state.active);
  } else if (event.key === 'Escape' && state.isOpen) {
    event.preventDefault();
    close(id);
  }
}
