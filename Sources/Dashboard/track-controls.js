// The controls of the track player, and the data of the current position.

import { h, icon } from './dom.js';
import { formatClock, formatDuration, formatLength, formatSpeed, formatTime } from './format.js';
import { button, number } from './parts.js';
import { speeds } from './player.js';
import { style } from './preferences.js';
import { meantBy } from './scrubber.js';
import { changed } from './state.js';
import { marks } from './track.js';
import { t, text, tn } from './translate.js';

/** @param {import('./player.js').Player} player @param {boolean} isLoading Whether more positions are being loaded. */
export function controls(player, isLoading) {
  const { track } = player;
  const name = player.isPlaying ? t('Pause') : t('Play');
  return h('div', { class: 'card track-controls', 'data-key': 'controls' },
    h('div', { class: 'track-buttons' },
      button(name, () => player.toggle(), { iconName: player.isPlaying ? 'pause' : 'play', kind: 'primary', id: 'track-play' }),
      h('label', { class: 'track-speed' }, h('span', { class: 'hidden-visually' }, t('Speed of the player')),
        h('select', { id: 'track-speed', onchange: ({ target }) => { player.speed = Number(target.value); changed(); } },
          speeds.map((speed) => h('option', { value: speed, selected: speed === player.speed }, t('{speed}×', { speed }))))),
      h('p', { class: 'quiet', role: 'status' }, isLoading
        ? t('{count} positions, more are loading …', { count: track.count })
        : tn(track.count, '{count} position', '{count} positions')),
      markCounts(player)),
    h('div', { class: 'scrubber' },
      h('div', { id: 'track-ticks', class: 'ticks', 'data-own-content': true, 'aria-hidden': 'true', onclick: (event) => {
        const meant = meantBy(event, player);
        if (meant.event) player.choose(meant.event);
        else player.seek(meant.moment);
      } }),
      h('input', {
        id: 'track-time', type: 'range', min: 0, max: Math.max(1, Math.ceil((track.ends - track.begins) / 1000)), step: 1, 'aria-label': t('Date and time'),
        oninput: ({ target }) => player.seek(track.begins + Number(target.value) * 1000), onkeydown: (event) => press(event, player),
      }),
      h('p', { class: 'track-ends quiet' }, h('span', {}, formatTime(track.begins, style())), h('span', {}, formatTime(track.ends, style())))),
    h('div', { id: 'track-now', class: 'track-now', 'data-key': 'now', 'data-own-content': true }));
}

/** Arrow keys move between positions, Page Up and Page Down between events. */
function press(event, player) {
  const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  const direction = { PageUp: 1, PageDown: -1 }[event.key];
  if (!steps && !direction && event.key !== ' ') return;
  event.preventDefault();
  if (steps) player.step(steps);
  else if (direction) player.stepEvent(direction);
  else player.toggle();
}

/** The texts of marked positions, by the kind of the mark. */
const kinds = {
  late: {
    count: text('{count} late'),
    next: text('Next late position'),
    said: text('This position arrived late.'),
  },
  coarse: {
    count: text('{count} coarse'),
    next: text('Next coarse position'),
    said: text('This position is coarse (±{length}): it decides only far from the boundary.'),
  },
  outlier: {
    count: text('{count} outliers'),
    next: text('Next outlier'),
    said: text('This position is an outlier: too far from the previous one.'),
  },
  invalid: {
    count: text('{count} invalid'),
    next: text('Next invalid position'),
    said: text('The device itself reported this position as invalid.'),
  },
};

/** The numbers of marked positions. A click moves to the next one. */
function markCounts(player) {
  const found = Object.keys(kinds).filter((kind) => player.track.counts[kind]);
  return found.length ? h('ul', { class: 'track-marks' }, found.map((kind) => h('li', { 'data-key': kind },
    h('button', { type: 'button', class: `chip mark-${kind}`, id: `next-${kind}`, 'aria-label': t(kinds[kind].next), onclick: () => {
      player.pause();
      const next = player.track.nextMarked(player.index, kind);
      if (next >= 0) player.seek(player.track.times[next]);
    } }, t(kinds[kind].count, { count: player.track.counts[kind] }))))) : null;
}

/** The data of the current position, as elements that replace the previous ones. @param {import('./player.js').Player} player */
export function nowPanel(player) {
  const { track, index, moment, skipped } = player;
  const [accuracy, speed, battery] = [track.accuracies[index], track.speedAt(index), track.batteries[index]];
  const said = Object.keys(kinds).filter((kind) => track.marks[index] & marks[kind]);
  const fact = (label, value) => h('div', {}, h('dt', {}, label), h('dd', {}, value));
  return [
    h('p', { class: 'track-clock' }, h('time', { datetime: new Date(moment).toISOString() }, formatTime(moment, style()))),
    h('dl', { class: 'facts inline' },
      fact(t('Last position'), formatClock(track.times[index], style())),
      fact(t('Accuracy'), Number.isNaN(accuracy) ? t('not reported') : `±${formatLength(accuracy, style())}`),
      fact(t('Speed'), Number.isNaN(speed) ? t('not reported') : formatSpeed(speed, style())),
      Number.isNaN(battery) ? null : fact(t('Battery'), `${number(Math.round(battery * 100))} %`)),
    h('p', { class: 'track-note', hidden: !said.length && !skipped },
      said.map((kind) => h('span', { class: `mark-${kind}`, 'data-mark': kind }, icon('exclamationmark.triangle'),
        t(kinds[kind].said, { length: formatLength(accuracy || 0, style()) }))),
      skipped ? h('span', { class: 'quiet' }, t('Skipped {time} without positions.', { time: formatDuration(skipped, style()) })) : null),
  ];
}
