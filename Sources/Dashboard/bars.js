// Stacked bars as SVG. The text is in HTML beside the SVG, so that it scales with the text size of the page.

const namespace = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The width of a bar as a share of the column's width. */
const barWidth = 0.68;

/**
 * @param {{values: number[], className: string, titles: string[]}[]} series Each series has one value for each column. The first series is
 *     at the bottom.
 * @param {number} columns
 * @param {number} top The value at the top of the chart.
 * @param {string} label The label for screen readers.
 */
export function stackedBars(series, columns, top, label) {
  const heights = Array.from({ length: columns }, () => 0);
  const bars = series.flatMap(({ values, className, titles }) => values.map((value, column) => {
    if (!(value > 0)) return null;
    const height = (value / top) * 100;
    heights[column] += height;
    return svg('rect', { x: column + (1 - barWidth) / 2, y: 100 - heights[column], width: barWidth, height, class: className },
      svg('title', {}, titles[column]));
  }).filter(Boolean));
  const lines = [0, 25, 50, 75, 100].map((y) => svg('line', { x1: 0, x2: columns, y1: y, y2: y }));
  return svg('svg', { class: 'bars', viewBox: `0 0 ${columns} 100`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, ...lines, ...bars);
}
