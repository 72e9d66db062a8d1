// The map of the track player: the path, the events, and the current position.

import { CanvasLayer } from './map-canvas-layer.js';
import { createMap } from './map-canvas.js';
import { colorsOf } from './canvas-colors.js';
import { pathOf, pixelsPerMeter, placer } from './canvas-places.js';
import { outlinesOf } from './map-shapes.js';
import { marks } from './track.js';

const colorNames = ['accent', 'text', 'surface', 'quiet', 'good', 'warning', 'bad', 'outside'];
/** The maximum number of pixels between a click and an event or a position. */
const reach = 14;
/** The number of seconds of the path behind the current position that are drawn thicker. */
const tail = 900;

/**
 * @param {HTMLElement} parent
 * @param {{label: string, onEvent: (event: object) => void, onMoment: (moment: number) => void}} options
 */
export function trackMap(parent, { label, onEvent, onMoment }) {
  const { map, fit, destroy } = createMap(parent, { label, isSmall: true });
  let content = { track: null, events: [], outlines: [] };
  let now = { index: -1, selected: null };
  let palette = colorsOf(parent, colorNames);
  const way = new CanvasLayer((context, view) => content.track && drawWay(context, view, content, palette)).addTo(map);
  const device = new CanvasLayer((context, view) => content.track && drawDevice(context, view, content.track, now, palette)).addTo(map);

  map.on('click', ({ containerPoint }) => {
    const { track, events } = content;
    if (!track) return;
    const distance = (latitude, longitude) => map.latLngToContainerPoint([latitude, longitude]).distanceTo(containerPoint);
    const near = (items, place) => items.reduce((best, item) => {
      const length = distance(...place(item));
      return length <= best[1] ? [item, length] : best;
    }, [null, reach])[0];
    const event = near(events.filter((one) => one.fix), (one) => [one.fix.latitude, one.fix.longitude]);
    if (event) return onEvent(event);
    let [best, least] = [-1, reach];
    for (let index = 0; index < track.count; index += 1) {
      const length = distance(track.latitudes[index], track.longitudes[index]);
      if (length < least) [best, least] = [index, length];
    }
    if (best >= 0) onMoment(track.times[best]);
  });

  return {
    /** Shows a track. With `isNew`, moves the map so that the whole track is visible. */
    show(loaded, geofences, isNew) {
      palette = colorsOf(parent, colorNames);
      content = { ...loaded, outlines: geofences.map(outlinesOf) };
      if (isNew) fit(boundsOf(loaded.track), { animate: false });
      way.redraw();
      device.redraw();
    },
    /** Shows the current position. @param {number} index @param {object|null} selected The chosen event. */
    moveTo(index, selected) {
      now = { index, selected };
      const { track } = content;
      if (track && index >= 0) {
        const place = [track.latitudes[index], track.longitudes[index]];
        if (!map.getBounds().pad(-0.05).contains(place)) map.panTo(place, { animate: false });
      }
      device.redraw();
    },
    destroy,
  };
}

/** The bounding box of all positions except outliers and invalid ones. */
function boundsOf(track) {
  let [south, west, north, east] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let index = 0; index < track.count; index += 1) {
    if (track.marks[index] & (marks.outlier | marks.invalid)) continue;
    south = Math.min(south, track.latitudes[index]);
    north = Math.max(north, track.latitudes[index]);
    west = Math.min(west, track.longitudes[index]);
    east = Math.max(east, track.longitudes[index]);
  }
  return south <= north ? [[south, west], [north, east]] : [];
}

/**
 * The line through the positions except outliers and invalid ones. Positions at the same pixel as the previous one and invisible parts are
 * omitted, and the line is interrupted in gaps.
 */
function lineOf(track, { scale, left, top, width, height }, from, to) {
  const [line, gaps] = [new Path2D(), new Path2D()];
  let [lastX, lastY, isDrawn, wasGap] = [NaN, NaN, false, false];
  for (let index = from; index <= to; index += 1) {
    if (track.marks[index] & (marks.outlier | marks.invalid)) continue;
    const [x, y] = [track.x[index] * scale - left, track.y[index] * scale - top];
    const isGap = track.isGap(index);
    if (index > from && Math.abs(x - lastX) < 1 && Math.abs(y - lastY) < 1 && !isGap && !wasGap && index < to) continue;
    const isAway = (x < 0 && lastX < 0) || (y < 0 && lastY < 0) || (x > width && lastX > width) || (y > height && lastY > height);
    if (Number.isNaN(lastX) || isAway) {
      isDrawn = false;
    } else {
      const path = wasGap ? gaps : line;
      if (!isDrawn || wasGap) path.moveTo(lastX, lastY);
      path.lineTo(x, y);
      isDrawn = !wasGap;
    }
    [lastX, lastY, wasGap] = [x, y, isGap];
  }
  return { line, gaps };
}

function drawWay(context, view, { track, events, outlines }, color) {
  const point = placer(view);
  for (const one of outlines) {
    const path = pathOf(one, point);
    context.globalAlpha = 0.08;
    context.fillStyle = color.accent;
    context.fill(path, 'evenodd');
    context.globalAlpha = 0.6;
    context.lineWidth = 1.5;
    context.strokeStyle = color.accent;
    context.stroke(path);
  }
  const { line, gaps } = lineOf(track, view, 0, track.count - 1);
  context.lineJoin = 'round';
  context.globalAlpha = 0.55;
  context.lineWidth = 2.5;
  context.strokeStyle = color.text;
  context.stroke(line);
  context.lineWidth = 1.5;
  context.setLineDash([2, 6]);
  context.stroke(gaps);
  context.setLineDash([]);
  context.globalAlpha = 1;
  drawMarked(context, view, track, color);
  for (const event of events) if (event.fix) drawEvent(context, point(event.fix.latitude, event.fix.longitude), event, color, false);
}

const markColors = [[marks.outlier, 'bad'], [marks.invalid, 'bad'], [marks.coarse, 'warning'], [marks.late, 'accent']];

/** Rings around the marked positions. Rings at the same place as another one are omitted. */
function drawMarked(context, { scale, left, top, width, height }, track, color) {
  const drawn = new Set();
  context.lineWidth = 1.5;
  for (let index = 0; index < track.count; index += 1) {
    if (track.marks[index] === 0) continue;
    const [x, y] = [track.x[index] * scale - left, track.y[index] * scale - top];
    if (x < 0 || y < 0 || x > width || y > height) continue;
    const place = `${Math.round(x / 4)} ${Math.round(y / 4)} ${track.marks[index]}`;
    if (drawn.has(place)) continue;
    drawn.add(place);
    context.strokeStyle = color[markColors.find(([mark]) => track.marks[index] & mark)[1]];
    context.beginPath();
    context.arc(x, y, 4, 0, 2 * Math.PI);
    context.stroke();
  }
}

const eventColors = { enter: 'good', exit: 'outside', dwell: 'quiet' };

function drawEvent(context, [x, y], event, color, isSelected) {
  context.beginPath();
  context.arc(x, y, isSelected ? 9 : 6, 0, 2 * Math.PI);
  context.fillStyle = color[eventColors[event.type] ?? 'warning'];
  context.fill();
  context.lineWidth = isSelected ? 3 : 2;
  context.strokeStyle = isSelected ? color.text : color.surface;
  context.stroke();
}

function drawDevice(context, view, track, { index, selected }, color) {
  if (selected?.fix) drawEvent(context, placer(view)(selected.fix.latitude, selected.fix.longitude), selected, color, true);
  if (index < 0 || index >= track.count) return;
  const { line } = lineOf(track, view, track.indexAt(track.times[index] - tail * 1000), index);
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = color.accent;
  context.stroke(line);
  const [x, y] = [track.x[index] * view.scale - view.left, track.y[index] * view.scale - view.top];
  const accuracy = track.accuracies[index];
  if (accuracy > 0) {
    context.beginPath();
    context.arc(x, y, accuracy * pixelsPerMeter(track.latitudes[index], view.scale), 0, 2 * Math.PI);
    context.globalAlpha = 0.15;
    context.fillStyle = color.accent;
    context.fill();
    context.globalAlpha = 0.6;
    context.lineWidth = 1;
    context.stroke();
    context.globalAlpha = 1;
  }
  context.beginPath();
  context.arc(x, y, 7, 0, 2 * Math.PI);
  context.fillStyle = color.accent;
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = color.surface;
  context.stroke();
}
