// Positions and outlines on the canvas of a map.

import { mercator } from './map-shapes.js';

const earthRadius = 6_371_008.8;

/**
 * @param {import('./map-canvas-layer.js').CanvasView} view
 * @returns {(latitude: number, longitude: number) => [number, number]} Returns the point at which a position is drawn.
 */
export const placer = ({ scale, left, top }) => (latitude, longitude) => {
  const [x, y] = mercator(latitude, longitude);
  return [x * scale - left, y * scale - top];
};

/** Pixels for one meter on the ground. @param {number} latitude @param {number} scale Pixels around the world. */
export const pixelsPerMeter = (latitude, scale) => scale / (2 * Math.PI * earthRadius * Math.cos((latitude * Math.PI) / 180));

/**
 * The path of outlines that `outlinesOf` has created.
 *
 * @param {[number, number][][][]} outlines
 * @param {(latitude: number, longitude: number) => [number, number]} point
 */
export function pathOf(outlines, point) {
  const path = new Path2D();
  for (const ring of outlines.flat()) {
    ring.forEach(([latitude, longitude], index) => path[index ? 'lineTo' : 'moveTo'](...point(latitude, longitude)));
    path.closePath();
  }
  return path;
}
