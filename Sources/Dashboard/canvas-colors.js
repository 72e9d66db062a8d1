// The style sheet's colors in a form that a canvas accepts.

/**
 * @param {Element} element The element in whose context the colors are resolved.
 * @param {string[]} names Names of custom properties without the leading hyphens.
 * @returns {Object<string, string>} The colors by name.
 */
export function colorsOf(element, names) {
  // The value of a custom property is its text, including `light-dark()`. Only a color that uses the property is resolved.
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
