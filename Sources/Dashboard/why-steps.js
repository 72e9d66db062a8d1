// The steps of an explanation as a table. A row is selected together with its position on the map.

import { h } from './dom.js';
import { table } from './events-timeline.js';
import { formatClock, formatLength, formatTime } from './format.js';
import { style } from './preferences.js';
import { t, text } from './translate.js';
import { isFix, toneOf } from './why-answer.js';

/** The labels of the columns. */
const labels = {
  time: text('Time'),
  distance: text('From the boundary'),
  accuracy: text('Accuracy'),
  reading: text('This position alone says'),
  state: text('State'),
  rule: text('Reason'),
};

const readings = { inside: text('inside'), outside: text('outside'), band: text('near the boundary'), coarse: text('too coarse') };

const states = {
  unknown: text('unknown'),
  outside: text('outside'),
  entering: text('entering'),
  inside: text('inside'),
  exiting: text('leaving'),
  passing: text('passing through'),
};

/** What a rule says about a position. */
const rules = {
  missing: text('The geofence did not exist then.'),
  inactive: text('The geofence was switched off.'),
  notForDevice: text('The geofence is not for this device.'),
  coarse: text('The position is too coarse to decide anything.'),
  band: text('The position is too close to the boundary to be certain, so the last state holds.'),
  first: text('It is the first usable position. Nothing was known before.'),
  pending: text('It shows a change that is not confirmed yet.'),
  confirmed: text('It confirms the change.'),
  contradicted: text('It contradicts a change that was not confirmed yet. The change is dropped.'),
  dropped: text('No position confirmed a change in time. The change is dropped.'),
  passage: text('The path to it leads through the geofence.'),
  holds: text('It shows what was already known.'),
  dwell: text('The device has stayed for as long as the geofence asks.'),
  jump: text('It is an outlier: too far from the previous position.'),
  leaving: text('The device was stationary elsewhere. This position is in doubt until the next one agrees, or until none arrives in time.'),
  deadline: text('No further position arrived within the waiting time.'),
  fenceChanged: text('The geofence was created, edited or removed.'),
  deviceChanged: text('The groups or the policy of the device were edited.'),
  reported: text('The phone itself reported where it was.'),
};

/** @param {string} rule */
export const ruleText = (rule) => t(rules[rule] ?? rule);

/**
 * @param {object} explanation
 * @param {number} selected The index of a step; -1 for none.
 * @param {(step: number) => void} onSelect
 */
export function stepTable({ steps }, selected, onSelect) {
  const columns = Object.values(labels).map((label) => t(label));
  return table('why-steps', t('Step by step'), columns, steps.map((step, index) =>
    row(step, index, index === selected, onSelect)));
}

function row(step, index, isSelected, onSelect) {
  return h('tr', {
    'data-key': index, 'data-rule': step.rule, 'aria-current': isSelected ? 'true' : null, class: 'step', onclick: () => onSelect(index),
  },
  h('th', { scope: 'row' }, h('button', {
    type: 'button', class: 'step-time', 'aria-pressed': String(isSelected), title: formatTime(step.timestamp, style()),
  }, h('span', { class: `swatch ${isFix(step) ? 'round' : ''} tone-${toneOf(step)}` }), formatClock(step.timestamp, style()))),
  cell('distance', 'number', distance(step)),
  cell('accuracy', 'number', accuracy(step)),
  cell('reading', null, step.reading ? t(readings[step.reading] ?? step.reading) : ''),
  cell('state', null, state(step)),
  h('td', { class: 'why-rule' }, ruleText(step.rule), h('span', { class: 'quiet note', lang: 'en' }, step.because)));
}

/** On a narrow page, rows are stacked and each cell shows its label. */
const cell = (column, className, content) => h('td', { class: className, 'data-label': t(labels[column]) }, content);

function distance({ distance: meters }) {
  if (meters === undefined) return '';
  return t(meters <= 0 ? text('{length} inside') : text('{length} outside'), { length: formatLength(Math.abs(meters), style()) });
}

function accuracy(step) {
  if (!isFix(step)) return [t('no position')];
  const reported = step.accuracy === undefined ? t('not reported') : `±${formatLength(step.accuracy, style())}`;
  return [reported, step.counted === undefined ? null : h('span', { class: 'quiet note' }, t('{length} used', { length: formatLength(step.counted, style()) }))];
}

function state({ before, after }) {
  if (!after) return '–';
  const name = (state) => t(states[state] ?? state);
  return !before || before === after ? name(after) : `${name(before)} → ${name(after)}`;
}
