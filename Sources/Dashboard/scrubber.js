// The timeline below a track: a slider, and above it the times with positions and the events.

import { colorsOf } from './canvas-colors.js';
import { marks } from './track.js';

const colorNames = ['line', 'quiet', 'good', 'outside', 'warning', 'bad', 'accent'];
const eventColors = { enter: 'good', exit: 'outside', dwell: 'quiet' };
/** The maximum number of pixels between a click and an event. */
const reach = 6;
/** Half the width of the slider's thumb. The scale starts and ends there. */
const inset = 8;

const placeOf = (track, width, moment) => inset + ((moment - track.begins) / Math.max(1, track.ends - track.begins)) * (width - 2 * inset);

/**
 * @param {HTMLElement} parent Contains only the canvas.
 * @param {import('./player.js').Player} player
 */
export function drawScrubber(parent, { track, events }) {
  const [width, height] = [parent.clientWidth, parent.clientHeight];
  if (!track?.count || !width) return;
  // A redraw of the page removes attributes from its own elements, so the canvas is created here.
  const canvas = parent.firstElementChild ?? parent.appendChild(document.createElement('canvas'));
  Object.assign(canvas, { width: Math.round(width * devicePixelRatio), height: Math.round(height * devicePixelRatio) });
  const context = canvas.getContext('2d');
  context.scale(devicePixelRatio, devicePixelRatio);
  const color = colorsOf(parent.parentElement, colorNames);
  const place = (moment) => placeOf(track, width, moment);
  // The times with positions; gaps stay blank.
  context.fillStyle = color.quiet;
  let begins = 0;
  for (let index = 0; index < track.count; index += 1) {
    if (index + 1 < track.count && !track.isGap(index)) continue;
    const from = place(track.times[begins]);
    context.fillRect(from, height - 4, Math.max(1.5, place(track.times[index]) - from), 3);
    begins = index + 1;
  }
  // The marks of positions, at most one per pixel.
  let last = NaN;
  for (let index = 0; index < track.count; index += 1) {
    if (track.marks[index] === 0) continue;
    const x = Math.round(place(track.times[index]));
    if (x === last) continue;
    last = x;
    context.fillStyle = color[track.marks[index] & (marks.outlier | marks.invalid) ? 'bad' : track.marks[index] & marks.coarse ? 'warning' : 'accent'];
    context.fillRect(x - 0.5, height - 9, 1, 5);
  }
  for (const event of events) {
    context.fillStyle = color[eventColors[event.type] ?? 'warning'];
    context.beginPath();
    context.roundRect(place(Date.parse(event.occurredAt)) - 2, 2, 4, height - 8, 2);
    context.fill();
  }
}

/**
 * What a click selects: an event, otherwise a moment.
 *
 * @param {MouseEvent} event
 * @param {import('./player.js').Player} player
 * @returns {{event: object|null, moment: number}}
 */
export function meantBy({ offsetX, currentTarget }, { track, events }) {
  const width = currentTarget.clientWidth;
  let [found, least] = [null, reach];
  for (const event of events) {
    const distance = Math.abs(placeOf(track, width, Date.parse(event.occurredAt)) - offsetX);
    if (distance <= least) [found, least] = [event, distance];
  }
  return { event: found, moment: track.begins + ((offsetX - inset) / Math.max(1, width - 2 * inset)) * (track.ends - track.begins) };
}
