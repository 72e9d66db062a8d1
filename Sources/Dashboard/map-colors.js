// The colors of the map, for what is drawn on a canvas. They are custom properties of map.css, different in light and dark.

const names = [
  'water', 'land', 'coast', 'border', 'grid', 'grid-strong', 'grid-text', 'fence', 'fence-fill', 'occupied', 'occupied-fill', 'inactive', 'selected',
  'text', 'halo', 'device', 'device-ring', 'accuracy', 'stale', 'trail', 'enter', 'exit', 'dwell',
];

let colors = null;
const callbacks = new Set();

/** What `map-labels` multiplies the sizes of its texts by: 1 with the browser's usual size of text. */
export const textScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** Colors by the name of their property without `--map-`, as CSS writes them. @returns {Object<string, string>} */
export function mapColors() {
  if (colors) return colors;
  // A property's own value is not computed; a color that uses it is.
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
 * Calls a function when the page changes between light and dark.
 *
 * @param {() => void} callback
 * @returns {() => void} Ends it.
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
