// The coastlines and borders of the plain map in the packed format of tools/world-outline. Pure except for loading.

import { loadFile } from './api.js';
import { mercator } from './map-shapes.js';

/** @typedef {{places: Float64Array, box: [number, number, number, number]}} Line Points of `mercator`, and the bounding box of the line. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The points of a packed line. @param {string} text @returns {[number, number][]} Longitudes and latitudes. */
export function unpack(text) {
  const numbers = [];
  let [value, factor] = [0, 1];
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    value += (digit % 32) * factor;
    factor *= 32;
    if (digit >= 32) continue;
    numbers.push(value % 2 ? -(value + 1) / 2 : value / 2);
    [value, factor] = [0, 1];
  }
  const places = [];
  let [longitude, latitude] = [0, 0];
  for (let index = 0; index < numbers.length; index += 2) {
    longitude += numbers[index];
    latitude += numbers[index + 1];
    places.push([longitude / 100, latitude / 100]);
  }
  return places;
}

/** @returns {Line} */
function projected(text) {
  const places = unpack(text);
  const line = new Float64Array(places.length * 2);
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  places.forEach(([longitude, latitude], index) => {
    const [x, y] = mercator(latitude, longitude);
    line[2 * index] = x;
    line[2 * index + 1] = y;
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  });
  return { places: line, box };
}

let world = null;

/** Loads the lines once. @returns {Promise<{land: Line[], borders: Line[]}>} */
export function loadWorld() {
  world ??= loadFile('world.json').then(JSON.parse).then(({ land, borders }) => ({ land: land.map(projected), borders: borders.map(projected) }), (error) => {
    world = null;
    throw error;
  });
  return world;
}
