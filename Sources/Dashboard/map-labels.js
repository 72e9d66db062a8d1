// Draws names on the map. A name that would overlap another one is omitted.

import { mapColors, textScale } from './map-colors.js';

const longest = 28;
const fontSize = 12;
/** The widths of texts by font and text. */
const widths = new Map();

/**
 * @param {CanvasRenderingContext2D} context
 * @param {{text: string, x: number, y: number, isQuiet: boolean, isDevice?: boolean}[]} labels The labels by precedence, the highest first.
 * @param {{width: number, height: number}} view
 */
export function drawLabels(context, labels, view) {
  const colors = mapColors();
  const size = fontSize * textScale();
  const placed = [];
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colors.halo;
  for (const { text, x, y, isQuiet, isDevice } of labels) {
    if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
    const shown = text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
    context.font = `${isDevice ? 600 : 500} ${size}px system-ui, sans-serif`;
    const half = widthOf(context, shown) / 2 + 3;
    if (placed.some((other) => Math.abs(other.x - x) < other.half + half && Math.abs(other.y - y) < size * 1.2)) continue;
    placed.push({ x, y, half });
    context.fillStyle = isQuiet ? colors.inactive : isDevice ? colors.device : colors.text;
    context.strokeText(shown, x, y);
    context.fillText(shown, x, y);
  }
}

function widthOf(context, text) {
  const key = `${context.font} ${text}`;
  if (widths.size > 2000) widths.clear();
  if (!widths.has(key)) widths.set(key, context.measureText(text).width);
  return widths.get(key);
}
