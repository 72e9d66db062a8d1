// The small map of an explanation: the geofence with its exit margin, and the positions with their accuracies.

import { CanvasLayer } from './map-canvas-layer.js';
import { colorsOf } from './canvas-colors.js';
import { createMap } from './map-canvas.js';
import { pathOf, pixelsPerMeter, placer } from './canvas-places.js';
import { outlinesOf } from './map-shapes.js';
import { isFix, toneOf } from './why-answer.js';

const colorNames = ['inside', 'outside', 'pending', 'text', 'surface', 'accent', 'unsure'];
/** The maximum number of pixels between a click and a position. */
const reach = 16;

/**
 * @param {HTMLElement} parent
 * @param {{label: string, onSelect: (step: number) => void}} options
 * @returns {{show: (content: {geofence: object|null, steps: object[], margin: number, selected: number}, isNew: boolean) => void, destroy: () => void}}
 *     `isNew`: whether the map moves so that everything is visible.
 */
export function whyMap(parent, { label, onSelect }) {
  const { map, fit, destroy } = createMap(parent, { label, isSmall: true });
  let content = { geofence: null, outlines: [], steps: [], margin: 0, selected: -1 };
  let palette = colorsOf(parent, colorNames);
  const layer = new CanvasLayer((context, view) => draw(context, view, content, palette));
  layer.addTo(map);
  map.on('click', (event) => {
    let [best, nearest] = [-1, reach];
    content.steps.forEach((step, index) => {
      if (!isFix(step)) return;
      const distance = map.latLngToContainerPoint([step.latitude, step.longitude]).distanceTo(event.containerPoint);
      // Of several positions at the same place, the last one is on top.
      if (distance <= nearest) [best, nearest] = [index, distance];
    });
    if (best >= 0) onSelect(best);
  });
  return {
    show(next, isNew) {
      palette = colorsOf(parent, colorNames);
      content = { ...next, outlines: next.geofence ? outlinesOf(next.geofence) : [] };
      if (isNew) fit(placesOf(content), { animate: false, maxZoom: 19 });
      layer.redraw();
    },
    destroy,
  };
}

const metersPerDegree = 111_195;
/** A geofence that is this many times as large as the relevant part is not shown completely. */
const mostWidth = 5;

/** Corners of the area to show: the positions, the nearest part of the boundary, and the whole geofence unless it is much larger. */
function placesOf({ steps, outlines, margin }) {
  const fixes = steps.filter(isFix);
  const near = fixes.flatMap((fix) => corners(fix, Math.max(fix.accuracy ?? 0, margin)));
  const far = fixes.flatMap((fix) => corners(fix, Math.max(fix.accuracy ?? 0, margin, Math.abs(fix.distance ?? 0))));
  const whole = outlines.flat(2);
  const height = (places) => Math.max(...places.map(([latitude]) => latitude)) - Math.min(...places.map(([latitude]) => latitude));
  return fixes.length && whole.length && height(whole) > mostWidth * height(far) ? far : [...near, ...whole];
}

/** Two corners of a box that extends a number of meters to each side of a position. */
function corners({ latitude, longitude }, meters) {
  const north = meters / metersPerDegree;
  const east = north / Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
  return [[latitude - north, longitude - east], [latitude + north, longitude + east]];
}

function draw(context, view, { outlines, steps, margin, selected }, color) {
  const point = placer(view);
  const pixels = (meters, latitude) => meters * pixelsPerMeter(latitude, view.scale);

  drawGeofence();
  drawWay();
  steps.forEach((step, index) => { if (isFix(step) && index !== selected) drawFix(step, false); });
  if (steps[selected] && isFix(steps[selected])) drawFix(steps[selected], true);

  function drawGeofence() {
    if (outlines.length === 0) return;
    const path = pathOf(outlines, point);
    if (margin > 0) {
      // The exit margin: the area outside that is closer to the boundary than the margin.
      const outside = new Path2D(path);
      outside.rect(0, 0, view.width, view.height);
      context.save();
      context.clip(outside, 'evenodd');
      context.lineJoin = 'round';
      context.globalAlpha = 0.22;
      context.lineWidth = 2 * pixels(margin, outlines[0][0][0][0]);
      context.strokeStyle = color.pending;
      context.stroke(path);
      context.restore();
    }
    context.globalAlpha = 0.1;
    context.fillStyle = color.accent;
    context.fill(path, 'evenodd');
    context.globalAlpha = 1;
    context.lineWidth = 2;
    context.strokeStyle = color.accent;
    context.stroke(path);
  }

  function drawWay() {
    context.beginPath();
    steps.filter(isFix).forEach((step, index) => context[index ? 'lineTo' : 'moveTo'](...point(step.latitude, step.longitude)));
    context.globalAlpha = 0.5;
    context.lineWidth = 1.5;
    context.strokeStyle = color.text;
    context.stroke();
    context.globalAlpha = 1;
  }

  function drawFix(step, isSelected) {
    const [x, y] = point(step.latitude, step.longitude);
    const tone = color[toneOf(step)];
    const circle = (radius) => {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
    };
    if (step.accuracy) {
      // The accuracy that the device reported.
      circle(pixels(step.accuracy, step.latitude));
      context.setLineDash([4, 4]);
      context.lineWidth = isSelected ? 2 : 1;
      context.globalAlpha = isSelected ? 1 : 0.45;
      context.strokeStyle = tone;
      context.stroke();
      context.setLineDash([]);
    }
    if (step.counted) {
      // The accuracy that counts.
      circle(pixels(step.counted, step.latitude));
      context.globalAlpha = isSelected ? 0.3 : 0.1;
      context.fillStyle = tone;
      context.fill();
    }
    context.globalAlpha = 1;
    circle(isSelected ? 8 : 5);
    context.fillStyle = tone;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = isSelected ? color.text : color.surface;
    context.stroke();
  }
}
