// Draws the geofences and devices on the canvases of the map view.

import { worldsIn } from './map-background.js';
import { mapColors } from './map-colors.js';
import { isStale, markOf } from './map-devices.js';
import { traceFence } from './map-fence.js';
import { metersPerDegree } from './map-grid.js';
import { drawMark } from './map-marks.js';
import { drawLabels } from './map-labels.js';
import { mercator } from './map-shapes.js';
import { isSelected, mapState } from './map-state.js';

/** The number of pixels below which a geofence is drawn as a dot. */
const smallestOutline = 5;
/** The minimum number of pixels of a geofence with a name. */
const smallestLabeled = 64;
const largestLabeledBelow = 320;
const mostLabels = 120;
/** The maximum numbers of visible devices with names, and with trails. */
const mostNamed = 80;
const mostTrails = 250;
/** The minimum radius of an accuracy circle in pixels. A smaller one is hidden by the device's mark. */
const smallestAccuracy = 7;

/** Calls a function for each visible geofence in each copy of the world in which it is visible. */
function eachFence(fences, view, visit) {
  const { scale, left, top, part } = view;
  const [from, above, to, below] = [part[0] + left, part[1] + top, part[2] + left, part[3] + top];
  const worlds = worldsIn(view);
  for (const fence of fences) {
    if (!fence || mapState.hiddenGeofences.has(fence.value.id)) continue;
    const [x0, y0, x1, y1] = fence.box;
    if (y1 * scale < above || y0 * scale > below) continue;
    // An outline across the antimeridian extends into the next copy of the world.
    for (let shift = worlds[0] - 1; shift <= worlds.at(-1) + 1; shift += 1) {
      if ((x1 + shift) * scale >= from && (x0 + shift) * scale <= to) visit(fence, shift);
    }
  }
}

function dot(context, fence, { scale, left, top }, shift, size) {
  const [x0, y0, x1, y1] = fence.box;
  context.fillRect(((x0 + x1) / 2 + shift) * scale - left - size / 2, ((y0 + y1) / 2) * scale - top - size / 2, size, size);
}

/** Draws all visible geofences. */
export function drawFences(context, view) {
  const colors = mapColors();
  const [active, inactive] = [[], []];
  context.lineJoin = 'round';
  eachFence(mapState.geofences.values(), view, (fence, shift) => {
    const size = fence.sizeAt(view.scale);
    if (size < smallestOutline) {
      context.fillStyle = fence.value.isActive ? colors.fence : colors.inactive;
      dot(context, fence, view, shift, 4);
      return;
    }
    (fence.value.isActive ? active : inactive).push([fence, shift]);
  });
  paint(context, view, active, colors['fence-fill'], colors.fence, 1.5, []);
  paint(context, view, inactive, null, colors.inactive, 1.25, [5, 4]);
}

/** Draws the names of the visible geofences where there is space. */
export function drawNames(context, view) {
  const labels = [];
  eachFence(mapState.geofences.values(), view, (fence, shift) => {
    const size = fence.sizeAt(view.scale);
    if (size >= smallestLabeled) labels.push([size, fence, shift]);
  });
  labels.sort(([a], [b]) => a - b);
  drawLabels(context, labels.slice(0, mostLabels).map(([, fence, shift]) => {
    const [x0, y0, x1, y1] = fence.box;
    // The name of a small geofence is below its outline, so that it does not hide the devices inside.
    const y = fence.sizeAt(view.scale) < largestLabeledBelow ? y1 * view.scale + 10 : ((y0 + y1) / 2) * view.scale;
    const x = ((x0 + x1) / 2 + shift) * view.scale;
    return { text: fence.value.name ?? fence.value.id, x: x - view.left, y: y - view.top, isQuiet: !fence.value.isActive };
  }), view);
}

function paint(context, view, found, fill, stroke, width, dash) {
  if (found.length === 0) return;
  context.lineWidth = width;
  context.strokeStyle = stroke;
  context.fillStyle = fill;
  context.setLineDash(dash);
  for (const [fence, shift] of found) {
    context.beginPath();
    traceFence(context, fence, view, shift);
    if (fill) context.fill();
    context.stroke();
  }
  context.setLineDash([]);
}

/** Highlights the occupied geofences and the selected one. */
export function drawStates(context, view) {
  const colors = mapColors();
  context.lineJoin = 'round';
  const occupied = [];
  eachFence([...mapState.occupants.keys()].map((id) => mapState.geofences.get(id)), view, (fence, shift) => {
    if (!fence.value.isActive) return;
    if (fence.sizeAt(view.scale) >= smallestOutline) {
      occupied.push([fence, shift]);
      return;
    }
    context.fillStyle = colors.occupied;
    dot(context, fence, view, shift, 6);
  });
  paint(context, view, occupied, colors['occupied-fill'], colors.occupied, 2, []);
  if (mapState.selection?.kind !== 'geofence') return;
  const selected = [];
  eachFence([mapState.geofences.get(mapState.selection.id)], view, (fence, shift) => {
    if (fence.sizeAt(view.scale) >= smallestOutline) selected.push([fence, shift]);
    else ring(context, fence, view, shift, colors.selected);
  });
  paint(context, view, selected, null, colors.halo, 6, []);
  paint(context, view, selected, null, colors.selected, 2.5, []);
}

function ring(context, fence, { scale, left, top }, shift, color) {
  const [x0, y0, x1, y1] = fence.box;
  context.beginPath();
  context.arc(((x0 + x1) / 2 + shift) * scale - left, ((y0 + y1) / 2) * scale - top, 8, 0, 2 * Math.PI);
  context.strokeStyle = color;
  context.lineWidth = 2.5;
  context.stroke();
}

/**
 * Draws the visible devices with their trails, accuracy circles, marks and names.
 *
 * @param {CanvasRenderingContext2D} context
 * @param {import('./map-canvas-layer.js').CanvasView} view
 */
export function drawDevices(context, view) {
  const colors = mapColors();
  const found = devicesInView(view);
  context.lineJoin = 'round';
  context.lineCap = 'round';
  drawTrails(context, view, found, colors);
  drawAccuracies(context, view, found, colors);
  drawMarks(context, found, colors);
  if (found.length > mostNamed) return;
  const now = Date.now();
  drawLabels(context, found.map(([device, x, y]) => ({ text: device.name, x, y: y + (mapState.alarmed.has(device.id) ? 26 : 17), isQuiet: isStale(device, now), isDevice: true })).reverse(), view);
  // No name may cover the mark of an emergency.
  if (mapState.alarmed.size) drawMarks(context, found.filter(([device]) => mapState.alarmed.has(device.id)), colors);
}

/** The visible devices with their positions on the canvas, those with an emergency after the others, and the selected one last. @returns {[object, number, number][]} */
function devicesInView(view) {
  const { scale, left, top, width, height } = view;
  const worlds = worldsIn(view);
  const found = [];
  let selected = null;
  for (const device of mapState.devices.values()) {
    const y = device.y * scale - top;
    if (y < -20 || y > height + 20) continue;
    for (const shift of worlds) {
      const x = (device.x + shift) * scale - left;
      if (x < -20 || x > width + 20) continue;
      if (isSelected('device', device.id)) selected = [device, x, y];
      else found.push([device, x, y]);
    }
  }
  if (mapState.alarmed.size) found.sort(([a], [b]) => mapState.alarmed.has(a.id) - mapState.alarmed.has(b.id));
  if (selected) found.push(selected);
  return found;
}

function drawTrails(context, { scale, left, top }, found, colors) {
  context.strokeStyle = colors.trail;
  context.lineWidth = 2;
  if (mapState.track.length > 1) {
    context.beginPath();
    mapState.track.forEach(([latitude, longitude], index) => {
      const [x, y] = mercator(latitude, longitude);
      if (index) context.lineTo(x * scale - left, y * scale - top);
      else context.moveTo(x * scale - left, y * scale - top);
    });
    context.stroke();
  }
  if (found.length > mostTrails) return;
  context.beginPath();
  for (const [{ trail, x }, markX, markY] of found) {
    const dx = markX - x * scale;
    for (let index = 0; index < trail.length; index += 2) {
      if (index) context.lineTo(trail[index] * scale + dx, trail[index + 1] * scale - top);
      else context.moveTo(trail[0] * scale + dx, trail[1] * scale - top);
    }
    if (trail.length) context.lineTo(markX, markY);
  }
  context.stroke();
}

function drawAccuracies(context, { scale }, found, colors) {
  context.fillStyle = colors.accuracy;
  for (const [{ accuracy, latitude }, x, y] of found) {
    if (!accuracy) continue;
    const degree = metersPerDegree(latitude);
    const radiusX = ((accuracy / degree.longitude) * scale) / 360;
    if (!(radiusX > smallestAccuracy)) continue;
    // Mercator scales both axes equally. On the ellipsoid they differ by less than one percent.
    const radiusY = ((accuracy / degree.latitude) * scale) / 360 / Math.cos((latitude * Math.PI) / 180);
    context.beginPath();
    context.ellipse(x, y, radiusX, radiusY, 0, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawMarks(context, found, colors) {
  const now = Date.now();
  const isCrowded = found.length > mostTrails;
  const size = isCrowded ? 4.5 : 6.5;
  for (const [device, x, y] of found) {
    drawMark(context, x, y, { size, look: markOf(device, now), course: device.speed === 0 ? undefined : device.course });
  }
  context.lineWidth = 2.5;
  for (const [device, x, y] of found) if (mapState.alarmed.has(device.id)) ringMark(context, x, y, size + 6, colors.alarm);
  const last = found.at(-1);
  if (!last || !isSelected('device', last[0].id)) return;
  ringMark(context, last[1], last[2], size + (mapState.alarmed.has(last[0].id) ? 10 : 6), colors.selected);
}

function ringMark(context, x, y, radius, color) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.strokeStyle = color;
  context.stroke();
}
