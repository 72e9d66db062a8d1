// The marks of devices: a dot, or an arrowhead in the direction of travel. Each mark is drawn once and then copied, which is many times as
// fast as drawing its outline.

import { mapColors } from './map-colors.js';

/** The number of directions of an arrowhead. */
const directions = 48;
const side = 24;
/** The colors of marks. Each has a row for small marks, and one for large ones. */
const looks = ['device', 'stale', 'alarm'];
const sizes = [4.5, 6.5];

let sheet = null;
let sheetColors = null;
let sheetRatio = 0;

/**
 * @param {CanvasRenderingContext2D} context
 * @param {number} x
 * @param {number} y
 * @param {{size: number, look: 'device'|'stale'|'alarm', course?: number}} mark `size` is a radius in pixels: 4.5 or 6.5. Without
 *     `course`, the mark is a dot.
 */
export function drawMark(context, x, y, { size, look, course }) {
  if (sheetColors !== mapColors() || sheetRatio !== devicePixelRatio) makeSheet();
  const column = Number.isFinite(course) ? 1 + (Math.round((course * directions) / 360) % directions + directions) % directions : 0;
  const row = looks.length * sizes.indexOf(size) + looks.indexOf(look);
  const pixels = side * sheetRatio;
  // At whole pixels, the image is copied without blending.
  const place = (value) => Math.round((value - side / 2) * sheetRatio) / sheetRatio;
  context.drawImage(sheet, column * pixels, row * pixels, pixels, pixels, place(x), place(y), side, side);
}

function makeSheet() {
  sheetColors = mapColors();
  sheetRatio = devicePixelRatio;
  sheet = document.createElement('canvas');
  sheet.width = side * sheetRatio * (directions + 1);
  sheet.height = side * sheetRatio * looks.length * sizes.length;
  const context = sheet.getContext('2d');
  context.scale(sheetRatio, sheetRatio);
  context.lineJoin = 'round';
  for (let row = 0; row < looks.length * sizes.length; row += 1) {
    const size = sizes[Math.floor(row / looks.length)];
    context.fillStyle = sheetColors[looks[row % looks.length]];
    context.strokeStyle = sheetColors['device-ring'];
    context.lineWidth = row < looks.length ? 1.5 : 3;
    for (let column = 0; column <= directions; column += 1) {
      context.save();
      context.translate((column + 0.5) * side, (row + 0.5) * side);
      context.beginPath();
      if (column === 0) context.arc(0, 0, size, 0, 2 * Math.PI);
      else arrow(context, ((column - 1) * 2 * Math.PI) / directions, size + 1.5);
      context.stroke();
      context.fill();
      context.restore();
    }
  }
}

function arrow(context, course, size) {
  context.rotate(course);
  context.moveTo(0, -1.25 * size);
  context.lineTo(0.85 * size, 0.85 * size);
  context.lineTo(0, 0.4 * size);
  context.lineTo(-0.85 * size, 0.85 * size);
  context.closePath();
}
