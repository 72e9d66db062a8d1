// The details of the selected object on the map.

import { request } from './api.js';
import { h } from './dom.js';
import { emergenciesOf } from './emergencies.js';
import { formatCoordinate, formatLength, formatSpeed, formatter } from './format.js';
import { loaded } from './loaded.js';
import { putDevice } from './map-devices.js';
import { goTo } from './map-going.js';
import { mapState, redrawMoving, select, tools } from './map-state.js';
import { trackHours, trackResource } from './map-track.js';
import { badge, button, empty, number, since } from './parts.js';
import { style } from './preferences.js';
import { focusWhenDrawn, resource } from './state.js';
import { t } from './translate.js';

const fact = (key, label, value) => (value === null ? null : [h('dt', {}, label), h('dd', { 'data-fact': key }, value)]);

/** @param {import('./map-state.js').Selection} selection */
export const details = (selection) => h('section', {
  id: 'map-details', class: 'map-details', 'data-key': `details ${selection.kind} ${selection.id}`, 'aria-labelledby': 'map-details-title',
}, selection.kind === 'device' ? ofDevice(selection) : ofGeofence(selection));

/** @param {string} name */
const head = (name, kind) => h('header', { class: 'map-details-head' },
  h('div', {}, h('p', { class: 'meta' }, kind), h('h2', { id: 'map-details-title', tabindex: '-1' }, h('bdi', {}, name))),
  button('', close, { iconName: 'xmark', kind: 'plain', name: t('map.close'), key: 'close' }));

function close() {
  select(null);
  focusWhenDrawn('map-search', { preventScroll: true });
}

const link = (href, label) => h('a', { class: 'button', href }, label);
const why = (device, geofence) =>
  h('a', { class: 'map-why', href: `#/events/why/${encodeURIComponent(device)}/${encodeURIComponent(geofence)}` }, t('map.why'));

function ofDevice(selection) {
  const id = selection.id;
  const device = mapState.devices.get(id);
  const path = `/v1/devices/${encodeURIComponent(id)}`;
  const own = resource(path, () => loadDevice(path));
  const track = trackResource(id);
  const name = device?.name ?? own.data?.name ?? id;
  return [
    head(name, own.data?.registry === 'simulated' ? `${t('map.device')} ${t('simulated')}` : t('map.device')),
    emergenciesOf(id),
    device ? position(device, track?.data) : loaded(path, own, () => empty(t('map.noPosition'))),
    own.data ? inside(id, own.data.inside ?? []) : null,
    tools.map((tool) => tool.details?.(selection)),
    h('p', { class: 'actions' },
      link(`#/events/device/${encodeURIComponent(id)}`, t('map.events')), link(`#/health/${encodeURIComponent(id)}`, t('nav.health'))),
  ];
}

/** Loads the device separately, because the live stream contains only positions in the visible area. */
async function loadDevice(path) {
  const value = await request('GET', path);
  putDevice(value);
  redrawMoving();
  return value;
}

function position(device, track) {
  // The list of devices has no speed, course and battery level. The newest position of the track has them.
  const last = track?.last;
  const known = (name) => device[name] ?? (last && Date.parse(last.timestamp) === device.at ? last[name] : undefined);
  const shown = (key, text) => (Number.isFinite(known(key)) ? text(known(key)) : null);
  return [
    h('dl', { class: 'facts' },
      fact('age', t('map.lastPosition'), since(new Date(device.at).toISOString())),
      fact('place', t('map.place'), h('bdi', {}, formatCoordinate(device.latitude, device.longitude))),
      fact('accuracy', t('map.accuracy'), shown('accuracy', (value) => formatLength(value, style()))),
      fact('speed', t('map.speed'), shown('speed', (value) => formatSpeed(value, style()))),
      fact('course', t('map.course'), shown('course', courseText)),
      fact('battery', t('map.battery'), shown('battery', (value) => formatter('NumberFormat', style().locale, { style: 'percent' }).format(value)))),
    track ? h('p', { class: 'meta' }, t('map.track', { hours: trackHours, count: track.count })) : null,
  ];
}

/** @param {number} course Degrees clockwise from north. */
const courseText = (course) => t('map.degrees', { degrees: Math.round(course), side: t(`map.side.${Math.round(course / 45) % 8}`) });

function inside(id, places) {
  if (places.length === 0) return h('p', { class: 'quiet' }, t('overview.outside'));
  return [
    h('h3', {}, t('map.isIn')),
    h('ul', { class: 'list', id: 'map-inside' }, places.map((place) => h('li', { class: 'map-pair', 'data-key': place.geofenceId },
      h('button', { type: 'button', class: 'row map-row', onclick: () => goTo({ kind: 'geofence', id: place.geofenceId }) },
        h('span', { class: 'map-mark fence occupied', 'aria-hidden': 'true' }),
        h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, place.geofenceName ?? place.geofenceId),
          place.enteredAt ? h('span', { class: 'row-facts' }, since(place.enteredAt)) : null)),
      why(id, place.geofenceId)))),
  ];
}

function ofGeofence(selection) {
  const id = selection.id;
  const value = mapState.geofences.get(id)?.value;
  const path = `/v1/geofences/${encodeURIComponent(id)}/devices?limit=100`;
  return [
    head(value?.name || id, t('map.geofence')),
    value ? [
      value.isActive ? null : badge('neutral', 'pause.circle', t('map.inactive')),
      h('dl', { class: 'facts' },
        fact('shape', t('map.shape'),
          value.geometry ? t(`map.shape.${value.geometry.type}`) : t('map.shape.circle', { radius: formatLength(value.radius, style()) })),
        fact('place', t('map.place'), value.geometry ? null : h('bdi', {}, formatCoordinate(value.latitude, value.longitude))),
        fact('dwell', t('map.dwell'), value.dwell ? t('map.dwell.minutes', { minutes: number(Math.round(value.dwell / 6) / 10) }) : null),
        fact('id', t('map.id'), h('span', { class: 'identifier' }, id))),
    ] : null,
    h('h3', {}, t('map.who')),
    loaded(path, resource(path), ({ devices }) => (devices.length === 0 ? h('p', { class: 'quiet' }, t('map.who.nobody'))
      : h('ul', { class: 'list', id: 'map-who' }, devices.map((device) => occupant(id, device))))),
    tools.map((tool) => tool.details?.(selection)),
    h('p', { class: 'actions' }, link(`#/events/geofence/${encodeURIComponent(id)}`, t('map.events'))),
  ];
}

const occupant = (geofence, { deviceId, name, enteredAt }) => h('li', { class: 'map-pair', 'data-key': deviceId },
  h('button', { type: 'button', class: 'row map-row', onclick: () => goTo({ kind: 'device', id: deviceId }) },
    h('span', { class: 'map-mark device', 'aria-hidden': 'true' }),
    h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, name || deviceId), h('span', { class: 'row-facts' }, since(enteredAt)))),
  why(deviceId, geofence));
