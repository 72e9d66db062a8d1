// The map's colors for drawing on a canvas. They are custom properties in map.css with different values in light and dark mode.

const names = [
  'water', 'land', 'coast', 'border', 'grid', 'grid-strong', 'grid-text', 'fence', 'fence-fill', 'occupied', 'occupied-fill', 'inactive', 'selected',
  'text', 'halo', 'device', 'device-ring', 'accuracy', 'stale', 'alarm', 'trail', 'enter', 'exit', 'dwell',
];

let colors = null;
const callbacks = new Set();

/** The factor by which `map-labels` scales its texts: 1 for the browser's default text size. */
export const textScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Colors by the name of their property without `--map-`, as CSS text. @returns {Object<string, string>} */
export function mapColors() {
  if (colors) return colors;
  // The value of a custom property is not resolved, but the value of a color that uses it is.
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  colors = Object.fromEntries(names.map((name) => {
    probe.style.color = `var(--map-${name})`;
    return [name, getComputedStyle(probe).color];
  }));
  probe.remove();
  return colors;
}

/**
 * Calls a function when the page switches between light and dark mode.
 *
 * @param {() => void} callback
 * @returns {() => void} Stops the calls.
 */
export function onColors(callback) {
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function refresh() {
  const now = themeNow();
  if (now === theme) return;
  theme = now;
  colors = null;
  for (const callback of callbacks) callback();
}

const isDark = matchMedia('(prefers-color-scheme: dark)');
const themeNow = () => `${isDark.matches} ${document.documentElement.dataset.theme}`;
let theme = themeNow();
isDark.addEventListener('change', refresh);
new MutationObserver(refresh).observe(document.documentElement, { attributeFilter: ['data-theme'] });
