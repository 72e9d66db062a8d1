// Creates and updates the elements of the page. Text is always inserted as text, so names that contain HTML are shown as written.

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Properties that an update copies from the new element, because they are not stored in attributes. */
const handlers = ['onclick', 'onsubmit', 'oninput', 'onchange', 'ontoggle', 'oncancel', 'onkeydown'];

/**
 * Creates an element.
 *
 * @param {string} tag
 * @param {Object<string, any>} [attributes] Functions become event handlers. Attributes that are `false`, null or undefined are omitted.
 * @param {...(Node|string|number|null|false|undefined|Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element[name] = value;
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Inserts the icons into the page, so that icons that were never shown are available without a network. @param {string} text The SVG. */
export function insertIcons(text) {
  const sprite = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  sprite.setAttribute('class', 'sprite');
  sprite.setAttribute('aria-hidden', 'true');
  // The prefix keeps the icons' ids apart from those of elements with the same name.
  for (const symbol of sprite.children) symbol.id = `icon-${symbol.id}`;
  document.body.append(sprite);
}

/**
 * Creates an icon. It is hidden from screen readers, because the text beside it has the same meaning.
 *
 * @param {string} name The id of a symbol in icons.svg.
 * @param {string} [className]
 */
export function icon(name, className = '') {
  const svg = document.createElementNS(svgNamespace, 'svg');
  svg.setAttribute('class', `icon ${className}`.trim());
  svg.setAttribute('aria-hidden', 'true');
  svg.dataset.icon = name;
  const use = document.createElementNS(svgNamespace, 'use');
  use.setAttribute('href', `#icon-${name}`);
  svg.append(use);
  return svg;
}

/**
 * Updates the children of an element to match new ones. Elements that remain keep their focus, scroll position and input. Elements match by
 * tag and `data-key`; elements without a key match by tag and order. The content of an element with the attribute `data-own-content` is not
 * changed, because a view manages it itself, for example a map.
 *
 * @param {Element} parent
 * @param {Node[]} wanted
 */
export function patchChildren(parent, wanted) {
  const wantedKeys = new Set(wanted.map(keyOf));
  const keyed = new Map();
  for (const node of [...parent.childNodes]) {
    if (!keyOf(node)) continue;
    if (wantedKeys.has(keyOf(node))) keyed.set(keyOf(node), node);
    else node.remove();
  }
  let place = parent.firstChild;
  for (const node of wanted) {
    const match = keyOf(node) ? keyed.get(keyOf(node)) : nextOfKind(place, node);
    if (!match) {
      parent.insertBefore(node, place);
      continue;
    }
    // A moved element loses its focus. If only elements without keys are before it, these are removed instead of moving it.
    if (!keyOf(node) || isNextKeyed(match, place)) place = skipTo(match, place);
    patch(match, node);
    if (match === place) place = place.nextSibling;
    else move(parent, match, place);
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

/** Moves a child before another one, and restores the focus in browsers that lose it. */
function move(parent, child, place) {
  if (parent.moveBefore) return parent.moveBefore(child, place);
  const focused = child.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(child, place);
  return focused?.focus({ preventScroll: true });
}

/** The key of an element, including its tag, because elements with different tags never match. */
function keyOf(node) {
  const key = node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;
  return key === null ? null : `${node.nodeName} ${key}`;
}

function nextOfKind(place, wanted) {
  let node = place;
  while (node && (keyOf(node) || node.nodeName !== wanted.nodeName)) node = node.nextSibling;
  return node;
}

/** Whether an element is the first one with a key from `place` on. */
function isNextKeyed(match, place) {
  let node = place;
  while (node && node !== match && !keyOf(node)) node = node.nextSibling;
  return node === match;
}

/** Removes the elements without keys before `match`. Those with keys are moved to their places later. */
function skipTo(match, place) {
  let node = place;
  while (node !== match) {
    const next = node.nextSibling;
    if (!keyOf(node)) node.remove();
    node = next;
  }
  return match;
}

function patch(old, wanted) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return;
  }
  // A person's selection stays until another option is marked as selected.
  const isChosenNow = old.nodeName === 'OPTION' && wanted.hasAttribute('selected') && !old.hasAttribute('selected');
  for (const { name } of [...old.attributes]) {
    // Only the person opens and closes these elements.
    const isTheirs = name === 'open' && (old.nodeName === 'DETAILS' || old.nodeName === 'DIALOG');
    if (!wanted.hasAttribute(name) && !isTheirs) old.removeAttribute(name);
  }
  for (const { name, value } of wanted.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (isChosenNow) old.selected = true;
  for (const name of handlers) {
    if (old[name] !== wanted[name]) old[name] = wanted[name];
  }
  if (!old.hasAttribute('data-own-content')) patchChildren(old, [...wanted.childNodes]);
}
