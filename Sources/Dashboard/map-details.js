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
import { t, text, tn } from './translate.js';

const fact = (key, label, value) => (value === null ? null : [h('dt', {}, label), h('dd', { 'data-fact': key }, value)]);

/** @param {import('./map-state.js').Selection} selection */
export const details = (selection) => h('section', {
  id: 'map-details', class: 'map-details', 'data-key': `details ${selection.kind} ${selection.id}`, 'aria-labelledby': 'map-details-title',
}, selection.kind === 'device' ? ofDevice(selection) : ofGeofence(selection));

/** @param {string} name */
const head = (name, kind) => h('header', { class: 'map-details-head' },
  h('div', {}, h('p', { class: 'meta' }, kind), h('h2', { id: 'map-details-title', tabindex: '-1' }, h('bdi', {}, name))),
  button('', close, { iconName: 'xmark', kind: 'plain', name: t('Close the details'), key: 'close' }));

function close() {
  select(null);
  focusWhenDrawn('map-search', { preventScroll: true });
}

const link = (href, label) => h('a', { class: 'button', href }, label);
const why = (device, geofence) =>
  h('a', { class: 'map-why', href: `#/events/why/${encodeURIComponent(device)}/${encodeURIComponent(geofence)}` }, t('Why?'));

function ofDevice(selection) {
  const id = selection.id;
  const device = mapState.devices.get(id);
  const path = `/v1/devices/${encodeURIComponent(id)}`;
  const own = resource(path, () => loadDevice(path));
  const track = trackResource(id);
  const name = device?.name ?? own.data?.name ?? id;
  return [
    head(name, own.data?.registry === 'simulated' ? `${t('Device')} ${t('(simulated)')}` : t('Device')),
    emergenciesOf(id),
    device ? position(device, track?.data) : loaded(path, own, () => empty(t('It has sent no position yet.'))),
    own.data ? inside(id, own.data.inside ?? []) : null,
    tools.map((tool) => tool.details?.(selection)),
    h('p', { class: 'actions' },
      link(`#/events/device/${encodeURIComponent(id)}`, t('Events')), link(`#/health/${encodeURIComponent(id)}`, t('Health'))),
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
      fact('age', t('Last position'), since(new Date(device.at).toISOString())),
      fact('place', t('Coordinates'), h('bdi', {}, formatCoordinate(device.latitude, device.longitude))),
      fact('accuracy', t('Accuracy'), shown('accuracy', (value) => formatLength(value, style()))),
      fact('speed', t('Speed'), shown('speed', (value) => formatSpeed(value, style()))),
      fact('course', t('Course'), shown('course', courseText)),
      fact('battery', t('Battery'), shown('battery', (value) => formatter('NumberFormat', style().locale, { style: 'percent' }).format(value)))),
    track ? h('p', { class: 'meta' },
      tn(track.count, 'The line shows {count} position of the previous {hours} hours.',
        'The line shows {count} positions of the previous {hours} hours.', { hours: trackHours })) : null,
  ];
}

/** @param {number} course Degrees clockwise from north. */
/** The directions of the compass, each 45° from the one before. */
const sides = [
  text('north'), text('northeast'), text('east'), text('southeast'),
  text('south'), text('southwest'), text('west'), text('northwest'),
];

const shapes = { Polygon: text('Polygon'), MultiPolygon: text('Several polygons') };

const courseText = (course) => t('{degrees}° ({side})', { degrees: Math.round(course), side: t(sides.at(Math.round(course / 45) % 8)) });

function inside(id, places) {
  if (places.length === 0) return h('p', { class: 'quiet' }, t('In no geofence'));
  return [
    h('h3', {}, t('Is in')),
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
    head(value?.name || id, t('Geofence')),
    value ? [
      value.isActive ? null : badge('neutral', 'pause.circle', t('Inactive')),
      h('dl', { class: 'facts' },
        fact('shape', t('Shape'),
          value.geometry ? t(shapes[value.geometry.type] ?? value.geometry.type) : t('Circle, radius {radius}', { radius: formatLength(value.radius, style()) })),
        fact('place', t('Coordinates'), value.geometry ? null : h('bdi', {}, formatCoordinate(value.latitude, value.longitude))),
        fact('dwell', t('Dwell after'), value.dwell ? t('{minutes} min', { minutes: number(Math.round(value.dwell / 6) / 10) }) : null),
        fact('id', t('Identifier'), h('span', { class: 'identifier' }, id))),
    ] : null,
    h('h3', {}, t('Devices inside')),
    loaded(path, resource(path), ({ devices }) => (devices.length === 0 ? h('p', { class: 'quiet' }, t('No devices inside.'))
      : h('ul', { class: 'list', id: 'map-who' }, devices.map((device) => occupant(id, device))))),
    tools.map((tool) => tool.details?.(selection)),
    h('p', { class: 'actions' }, link(`#/events/geofence/${encodeURIComponent(id)}`, t('Events'))),
  ];
}

const occupant = (geofence, { deviceId, name, enteredAt }) => h('li', { class: 'map-pair', 'data-key': deviceId },
  h('button', { type: 'button', class: 'row map-row', onclick: () => goTo({ kind: 'device', id: deviceId }) },
    h('span', { class: 'map-mark device', 'aria-hidden': 'true' }),
    h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, name || deviceId), h('span', { class: 'row-facts' }, since(enteredAt)))),
  why(deviceId, geofence));
