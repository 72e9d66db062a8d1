// The colors of the style sheet as a canvas takes them.

/**
 * @param {Element} element Where they are to hold.
 * @param {string[]} names Of custom properties, without the hyphens.
 * @returns {Object<string, string>} By name.
 */
export function colorsOf(element, names) {
  // A custom property is its text, with `light-dark()` in it; a color that uses it is resolved.
  const probe = document.createElement('span');
  probe.hidden = true;
  element.append(probe);
  const found = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return found;
}
