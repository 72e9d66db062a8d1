// The steps of an explanation as a table. A row is selected together with its position on the map.

import { h } from './dom.js';
import { table } from './events-timeline.js';
import { formatClock, formatLength, formatTime } from './format.js';
import { style } from './preferences.js';
import { t } from './translate.js';
import { isFix, toneOf } from './why-answer.js';

/**
 * @param {object} explanation
 * @param {number} selected The index of a step; -1 for none.
 * @param {(step: number) => void} onSelect
 */
export function stepTable({ steps }, selected, onSelect) {
  const columns = ['time', 'distance', 'accuracy', 'reading', 'state', 'rule'];
  return table('why-steps', t('why.steps'), columns.map((name) => t(`why.${name}`)), steps.map((step, index) => row(step, index, index === selected, onSelect)));
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
  cell('reading', null, step.reading ? t(`why.reading.${step.reading}`) : ''),
  cell('state', null, state(step)),
  h('td', { class: 'why-rule' }, t(`why.rule.${step.rule}`), h('span', { class: 'quiet note', lang: 'en' }, step.because)));
}

/** On a narrow page, rows are stacked and each cell shows its label. */
const cell = (column, className, content) => h('td', { class: className, 'data-label': t(`why.${column}`) }, content);

function distance({ distance: meters }) {
  if (meters === undefined) return '';
  return t(meters <= 0 ? 'why.distance.inside' : 'why.distance.outside', { length: formatLength(Math.abs(meters), style()) });
}

function accuracy(step) {
  if (!isFix(step)) return [t('why.noPosition')];
  const reported = step.accuracy === undefined ? t('why.exact') : `±${formatLength(step.accuracy, style())}`;
  return [reported, step.counted === undefined ? null : h('span', { class: 'quiet note' }, t('why.counts', { length: formatLength(step.counted, style()) }))];
}

function state({ before, after }) {
  if (!after) return '–';
  return !before || before === after ? t(`why.state.${after}`) : `${t(`why.state.${before}`)} → ${t(`why.state.${after}`)}`;
}
