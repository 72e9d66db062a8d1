// Draws a QR code from its rows. It is black on white in every theme, so that it can be scanned.

const svgNamespace = 'http://www.w3.org/2000/svg';
/** The width of the light margin in modules (ISO/IEC 18004, 6.3.8). */
const quietZone = 4;

/**
 * The dark modules as an SVG path, with one rectangle for each run in a row. Pure.
 *
 * @param {string[]} rows The rows from top to bottom; `1` is dark.
 */
const qrPath = (rows) => rows.map((row, y) => [...row.matchAll(/1+/g)].map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join('')).join('');

/**
 * @param {{size: number, rows: string[]}} code
 * @param {string} label The label for screen readers.
 */
export function qrCode({ size, rows }, label) {
  const make = (tag, attributes) => {
    const element = document.createElementNS(svgNamespace, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const whole = size + 2 * quietZone;
  const svg = make('svg', { class: 'qr', role: 'img', 'aria-label': label, viewBox: `${-quietZone} ${-quietZone} ${whole} ${whole}`, 'shape-rendering': 'crispEdges' });
  svg.append(make('rect', { x: -quietZone, y: -quietZone, width: whole, height: whole, fill: '#fff' }), make('path', { d: qrPath(rows), fill: '#000' }));
  return svg;
}
