// The track of a device, with playback, a timeline, and the events on it.

import { request } from './api.js';
import { addDays, dateOf } from './days.js';
import { deviceOf } from './devices.js';
import { h, icon, patchChildren } from './dom.js';
import { addressOf, periodOf, trackAddress, whyAddress } from './events-address.js';
import { clockOf, factsOf, lookOf, sentenceOf } from './event-words.js';
import { formatTime } from './format.js';
import { loaded } from './loaded.js';
import { button, deviceName, empty, heading, section } from './parts.js';
import { Player } from './player.js';
import { style } from './preferences.js';
import { drawScrubber } from './scrubber.js';
import { app, changed, resource } from './state.js';
import { controls, nowPanel } from './track-controls.js';
import { loadTrack } from './track-loading.js';
import { trackMap } from './track-map.js';
import { t } from './translate.js';

/** The maximum number of events in the list. All events are on the map. */
const mostListed = 200;
/** The maximum number of geofences whose outlines are drawn. */
const mostOutlines = 30;

const player = new Player(drawNow, changed);
/** The device and the days shown, the loaded data, and the state that the map has drawn. */
let current = { key: '', at: null, loaded: null, drawn: '' };
let map = null;
let observer = null;

export const title = ([device]) => t('Track of {device}', { device: deviceOf(device ?? '').name });

/** @param {string[]} parts The device's id. */
export function view([device]) {
  if (!device) return [heading(t('Track of {device}', { device: '' })), empty(t('There is no page at this address.'))];
  const days = daysOf(device);
  const header = [
    h('p', { class: 'back' }, h('a', { href: addressOf({ device }) }, t('Events'))),
    heading(deviceName(deviceOf(device).name, deviceOf(device).registry), days ? period(device, days) : null),
  ];
  // Without a day in the address, the day of the newest position is shown, which has to be loaded first.
  const path = `/v1/devices/${encodeURIComponent(device)}`;
  if (!days) return [...header, loaded(path, resource(path), () => empty(t('This device has sent no position yet.')))];
  const key = `track ${JSON.stringify([device, days, style().timeZone])}`;
  const at = app.query.get('at');
  if (current.key !== key) {
    player.pause();
    Object.assign(player, { track: null, events: [], selected: null, skipped: 0 });
    current = { key, at: null, loaded: null, drawn: '' };
  }
  const entry = resource(key, () => load(device, days, key));
  return [...header, loaded(key, { ...entry, data: entry.data ?? current.loaded }, (data) => {
    if (data.track.count === 0) return entry.isLoading ? h('p', { class: 'loading', role: 'status' }, t('Loading …')) : nothing(device, data);
    if (current.at !== at || !player.track) {
      player.take(data, at ? Date.parse(at) : data.track.begins);
      player.selected = data.events.find((event) => event.occurredAt === at) ?? null;
      current.at = at;
    } else {
      player.take(data, null);
    }
    return content(device, data, entry.isLoading);
  })];
}

/** The first and the last day to show; null while they are unknown. */
function daysOf(device) {
  const { since, until } = Object.fromEntries(['since', 'until'].map((name) => [name, app.query.get(name)]));
  if (since || until) return { since: since ?? until, until: until ?? since };
  const at = app.query.get('at') ?? resource(`/v1/devices/${encodeURIComponent(device)}`).data?.lastFix?.timestamp;
  if (!at) return null;
  const date = dateOf(Date.parse(at), style().timeZone);
  return { since: date, until: date };
}

function load(device, days, key) {
  return loadTrack(device, periodOf(days, style().timeZone), current.key === key ? current.loaded : null, (part) => {
    if (current.key !== key) return;
    current.loaded = part;
    current.drawn = '';
    changed();
  });
}

const nothing = (device, { events }) => h('div', { class: 'empty', id: 'no-track' },
  h('p', {}, t('The device sent no position on these days.')), events.length ? h('p', {}, h('a', { href: addressOf({ device }) }, t('Events'))) : null);

function period(device, { since, until }) {
  const go = (days) => { location.hash = trackAddress(device, days); };
  const length = Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1;
  const move = (direction) => go({ since: addDays(since, direction * length), until: addDays(until, direction * length) });
  const field = (name, label, value) => h('input', {
    id: `track-${name}`, type: 'date', value, 'aria-label': label,
    onchange: ({ target }) => {
      if (!target.value) return;
      const days = { since, until, [name]: target.value };
      go(days.since <= days.until ? days : { since: target.value, until: target.value });
    },
  });
  queueMicrotask(() => {
    for (const [name, value] of [['since', since], ['until', until]]) {
      const input = document.getElementById(`track-${name}`);
      if (input && document.activeElement !== input) input.value = value;
    }
  });
  return h('div', { class: 'track-period', 'data-key': 'period' },
    h('span', { class: 'track-moves' },
      button('', () => move(-1), { iconName: 'chevron', kind: 'plain back', id: 'track-before', name: t('Earlier days') }),
      button('', () => move(1), { iconName: 'chevron', kind: 'plain', id: 'track-after', name: t('Later days') })),
    field('since', t('From'), since), h('span', { 'aria-hidden': 'true' }, '–'), field('until', t('To'), until));
}

function content(device, { track, events }, isLoading) {
  const isOneDay = dateOf(track.begins, style().timeZone) === dateOf(track.ends, style().timeZone);
  return [
    h('div', { class: 'track-stage', 'data-key': 'stage' },
      h('div', { id: 'track-map', class: 'small-map tall', 'data-key': 'map', 'data-own-content': true }),
      controls(player, isLoading)),
    h('div', { class: 'track-beside', 'data-key': 'beside' },
      section('track-decisions', t('Decisions ({count})', { count: events.length }), [
        player.selected ? chosen(player.selected) : null,
        events.length
          ? h('ol', { class: 'list tall', tabindex: '0', 'aria-label': t('Decisions ({count})', { count: events.length }) },
            events.slice(0, mostListed).map((event) => decision(event, isOneDay)))
          : empty(t('No decisions on these days.')),
      ], events.length > mostListed ? t('The first {count} are listed. All are on the map.', { count: mostListed }) : undefined)),
  ];
}

const decision = (event, isOneDay) => h('li', { 'data-key': event.id, 'data-type': event.type },
  h('button', {
    type: 'button', class: 'row decision', 'aria-pressed': String(player.selected?.id === event.id), onclick: () => player.choose(event),
  }, h('span', { class: `event-icon ${lookOf(event)[1]}` }, icon(lookOf(event)[0])), h('span', { class: 'row-main' }, h('span', {}, sentenceOf(event))), isOneDay ? clockOf(event) : h('time', { datetime: event.occurredAt }, formatTime(event.occurredAt, style()))));

const chosen = (event) => h('div', { class: 'card chosen', id: 'track-event', 'data-key': 'chosen', 'data-id': event.id, role: 'status' },
  h('p', { class: 'event-title' }, h('strong', {}, sentenceOf(event))),
  h('p', { class: 'quiet' }, [formatTime(event.occurredAt, style()), ...factsOf(event)].join(' · ')),
  event.geofenceId ? h('p', {}, h('a', { id: 'track-why', href: whyAddress(event.deviceId, event.geofenceId, event.occurredAt) }, t('Why?'))) : null);

// MARK: Content outside of the page's drawing

export function shown() {
  const place = document.getElementById('track-map');
  if (!place) return left();
  if (!map) {
    map = trackMap(place, { label: t('Map of the track'), onEvent: (event) => player.choose(event), onMoment: (moment) => player.seek(moment) });
    observer = new ResizeObserver(() => drawScrubber(document.getElementById('track-ticks'), player));
    observer.observe(document.getElementById('track-ticks'));
    current.drawn = '';
  }
  const geofences = outlines();
  const state = JSON.stringify([current.key, player.track.count, player.events.length, geofences.length, document.documentElement.dataset.theme]);
  if (current.drawn !== state) {
    const isNew = !current.drawn || !current.drawn.startsWith(JSON.stringify([current.key]).slice(0, -1));
    map.show(player, geofences, isNew);
    drawScrubber(document.getElementById('track-ticks'), player);
    current.drawn = state;
  }
  drawNow();
}

/** The geofences of the events; empty until they are loaded. */
function outlines() {
  const ids = [...new Set(player.events.map((event) => event.geofenceId).filter(Boolean))].slice(0, mostOutlines);
  return resource(`geofences ${JSON.stringify(ids)}`, () => loadGeofences(ids)).data ?? [];
}

/** Geofences that were removed are omitted. */
async function loadGeofences(ids) {
  const found = await Promise.allSettled(ids.map((id) => request('GET', `/v1/geofences/${encodeURIComponent(id)}`)));
  return found.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
}

export function left() {
  player.pause();
  map?.destroy();
  observer?.disconnect();
  [map, observer] = [null, null];
}

/** Shows the current position without redrawing the whole page, which would be too slow for each frame. */
function drawNow() {
  const panel = document.getElementById('track-now');
  if (!panel || !player.track?.count) return;
  patchChildren(panel, nowPanel(player));
  const slider = document.getElementById('track-time');
  slider.value = String(Math.round((player.moment - player.track.begins) / 1000));
  slider.setAttribute('aria-valuetext', formatTime(player.moment, style()));
  map?.moveTo(player.index, player.selected);
}
