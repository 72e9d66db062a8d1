// Builds and patches the page. Text is only ever set as text, so a name that looks like HTML is shown as it is written.

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Properties that a patch carries over from the new element, because no attribute holds them. */
const handlers = ['onclick', 'onsubmit', 'oninput', 'onchange', 'ontoggle', 'oncancel', 'onkeydown'];

/**
 * Makes an element.
 *
 * @param {string} tag
 * @param {Object<string, any>} [attributes] Functions become event handlers. `false`, null and undefined leave an attribute out.
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

/**
 * Puts the sprite into the page, so that icons that were never shown are there when the network is not.
 */
export async function loadIcons() {
  const text = await (await fetch('/dashboard/icons.svg')).text();
  const sprite = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  sprite.setAttribute('class', 'sprite');
  sprite.setAttribute('aria-hidden', 'true');
  // A button may be called as its icon is.
  for (const symbol of sprite.children) symbol.id = `icon-${symbol.id}`;
  document.body.append(sprite);
}

/**
 * Makes an icon of the sprite. It is hidden from screen readers: the text beside it says the same.
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
 * Makes the children of an element equal to new ones and keeps the elements that stay, with their focus, scroll position and
 * everything typed into them. Elements match by tag and `data-key`, those without a key by tag and order. What is inside an
 * element with the attribute `data-own-content` is left alone: a view fills it by itself, as with a map.
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
    // An element that is moved loses its focus: where nothing but what has no key lies before it, that goes.
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

/** Moves a child before another one. It keeps the focus, also in browsers that take it from what is moved. */
function move(parent, child, place) {
  if (parent.moveBefore) return parent.moveBefore(child, place);
  const focused = child.contains(document.activeElement) ? document.activeElement : null;
  parent.insertBefore(child, place);
  return focused?.focus({ preventScroll: true });
}

/** An element's key, together with its tag: another tag is another element. */
function keyOf(node) {
  const key = node.nodeType === Node.ELEMENT_NODE ? node.getAttribute('data-key') : null;
  return key === null ? null : `${node.nodeName} ${key}`;
}

function nextOfKind(place, wanted) {
  let node = place;
  while (node && (keyOf(node) || node.nodeName !== wanted.nodeName)) node = node.nextSibling;
  return node;
}

/** Whether an element is the first one with a key from a place on. */
function isNextKeyed(match, place) {
  let node = place;
  while (node && node !== match && !keyOf(node)) node = node.nextSibling;
  return node === match;
}

/** Removes what lies before an element and has no key; what has one is moved to its place later. */
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
  // A person's choice stays until another one is drawn.
  const isChosenNow = old.nodeName === 'OPTION' && wanted.hasAttribute('selected') && !old.hasAttribute('selected');
  for (const { name } of [...old.attributes]) {
    // A person opens and closes these; a patch leaves them as they are.
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
