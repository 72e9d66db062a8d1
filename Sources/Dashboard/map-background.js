// The plain map for a service without a tile server: coastlines, borders, and a grid with labels.

import { formatLength } from './format.js';
import { CanvasLayer } from './map-canvas-layer.js';
import { mapColors, textScale } from './map-colors.js';
import { degreeLabel, gridOf } from './map-grid.js';
import { mercator } from './map-shapes.js';
import { loadWorld } from './map-world.js';
import { style } from './preferences.js';
import { t } from './translate.js';

/** The highest zoom at which coastlines are drawn. At higher zooms they are too coarse, so only the grid is drawn. */
const lastZoomOfCoast = 8;
const fontSize = 11;
/** The minimum number of pixels between two grid lines. */
const lineSpacing = 80;

/** A layer with the plain map. It is redrawn while the map moves, so that its labels stay at the edges. */
export function plainBackground() {
  let world = null;
  const layer = new CanvasLayer((context, view) => {
    drawGround(context, view, world);
    drawGrid(context, view);
  }, { pane: 'background', padding: 0, isEveryMove: true });
  layer.on('add', () => loadWorld().then((loaded) => {
    world = loaded;
    layer.redraw();
  }, () => {
    // Without coastlines, the grid is still drawn.
  }));
  return layer;
}

function drawGround(context, view, world) {
  const colors = mapColors();
  const isCoast = view.zoom <= lastZoomOfCoast;
  context.fillStyle = colors[isCoast && world ? 'water' : 'land'];
  context.fillRect(0, 0, view.width, view.height);
  if (!isCoast || !world) return;
  for (const shift of worldsIn(view)) {
    trace(context, view, shift, world.land, { isClosed: true, isFilled: true });
    context.fillStyle = colors.land;
    context.fill('evenodd');
    trace(context, view, shift, world.land, { isClosed: true });
    context.lineWidth = 1;
    context.strokeStyle = colors.coast;
    context.stroke();
    trace(context, view, shift, world.borders, {});
    context.strokeStyle = colors.border;
    context.stroke();
  }
}

/** The visible copies of the world side by side, as numbers relative to the first copy. */
export function worldsIn({ scale, left, width }) {
  const first = Math.floor(left / scale);
  return Array.from({ length: Math.floor((left + width) / scale) - first + 1 }, (_, index) => first + index);
}

/** Starts a path of lines. Edges along the antimeridian, where outlines are cut, are skipped unless the path is filled. */
function trace(context, { scale, left, top, width, height }, shift, lines, { isClosed = false, isFilled = false }) {
  const dx = shift * scale - left;
  context.beginPath();
  for (const { places, box } of lines) {
    if (box[2] * scale + dx < 0 || box[0] * scale + dx > width || box[3] * scale - top < 0 || box[1] * scale - top > height) continue;
    const end = places.length + (isClosed ? 2 : 0);
    let before = NaN;
    for (let index = 0; index < end; index += 2) {
      const [x, y] = [places[index % places.length], places[(index + 1) % places.length]];
      const isCut = index === 0 || (!isFilled && x === before && (x <= 0 || x >= 1));
      if (isCut) context.moveTo(x * scale + dx, y * scale - top);
      else context.lineTo(x * scale + dx, y * scale - top);
      before = x;
    }
  }
}

function drawGrid(context, view) {
  const colors = mapColors();
  const grid = gridOf(view, style().units, lineSpacing * textScale());
  const xOf = (longitude) => mercator(0, longitude)[0] * view.scale - view.left;
  const yOf = (latitude) => mercator(latitude, 0)[1] * view.scale - view.top;
  for (const isStrong of [false, true]) {
    context.beginPath();
    for (const line of grid.longitudes) {
      if (line.isStrong !== isStrong) continue;
      const x = Math.round(xOf(line.value)) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, view.height);
    }
    for (const line of grid.latitudes) {
      if (line.isStrong !== isStrong) continue;
      const y = Math.round(yOf(line.value)) + 0.5;
      context.moveTo(0, y);
      context.lineTo(view.width, y);
    }
    context.lineWidth = 1;
    context.strokeStyle = colors[isStrong && grid.length ? 'grid-strong' : 'grid'];
    context.stroke();
  }
  const size = fontSize * textScale();
  context.font = `500 ${size}px system-ui, sans-serif`;
  context.fillStyle = colors['grid-text'];
  context.strokeStyle = colors.land;
  context.lineWidth = 3;
  context.lineJoin = 'round';
  context.textBaseline = 'top';
  const write = (text, x, y) => {
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  };
  for (const { value } of grid.longitudes) {
    const x = xOf(value) + 4;
    if (x < view.width - 10 * size) write(degreeLabel(value, grid.digits, 'longitude'), x, 4);
  }
  for (const { value } of grid.latitudes) {
    const y = yOf(value) + 4;
    if (y > 2 * size && y < view.height - 4 * size) write(degreeLabel(value, grid.digits, 'latitude'), 4, y);
  }
  if (grid.length) {
    context.textAlign = 'right';
    write(t('Grid {length}', { length: formatLength(grid.length, style()) }), view.width - 10, view.height - 5 * size);
    context.textAlign = 'left';
  }
}

/** Adds the pane of the plain map below everything else. @param {object} map The Leaflet map. */
export function addBackgroundPane(map) {
  map.createPane('background').style.zIndex = 150;
}
