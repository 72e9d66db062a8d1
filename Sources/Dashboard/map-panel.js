// The panel beside the map: search, the selected object, the latest transitions, and a list of the visible objects for people who do not
// use the map itself.

import { h } from './dom.js';
import { openEmergencies } from './emergencies.js';
import { loaded } from './loaded.js';
import { details } from './map-details.js';
import { devicesKey, loadDevices, markAlarmed, staleAfter } from './map-devices.js';
import { feedSection } from './map-feed.js';
import { geofencesKey, loadGeofences } from './map-geofences.js';
import { goingKey, goTo } from './map-going.js';
import { listedInView } from './map-listing.js';
import { deviceRow, geofenceRow, legendEntry } from './map-rows.js';
import { isSearching, searchField, searchResults } from './map-search.js';
import { mapState, tools } from './map-state.js';
import { button, empty, heading, number } from './parts.js';
import { operationProblem } from './problem-card.js';
import { app, changed, resource, toggle } from './state.js';
import { t, tn } from './translate.js';

const pageSize = 30;
let shownCounts = { devices: pageSize, geofences: pageSize };

export const resetPanel = () => { shownCounts = { devices: pageSize, geofences: pageSize }; };

/** The key of the panel's collapsed state on a narrow page. */
const foldedKey = 'map folded';

/** @param {string[]} parts The parts of the address after `#/map`. */
export function panel(parts) {
  // Both resources are requested in each drawing, so that they are kept up to date regardless of what the panel shows.
  const geofences = resource(geofencesKey, loadGeofences);
  const devices = resource(devicesKey, loadDevices);
  markAlarmed([...new Set(openEmergencies().map(({ deviceId }) => deviceId))]);
  const own = tools.map((tool) => tool.panel?.()).find(Boolean);
  const isFolded = app.open.has(foldedKey) && !own;
  return h('aside', { class: isFolded ? 'map-panel folded' : 'map-panel', id: 'map-panel', 'data-key': 'panel', 'aria-labelledby': 'view-title' },
    h('div', { class: 'map-panel-head', 'data-key': 'head' },
      heading(t('Map'), foldButton(isFolded)),
      own ? null : searchField()),
    h('div', { class: 'map-panel-body', id: 'map-panel-body', 'data-key': 'body' }, own ?? [
      h('p', { class: 'actions map-tools', 'data-key': 'tools' }, tools.map((tool) => tool.actions?.(parts))),
      operationProblem(goingKey),
      isSearching() ? searchResults() : mapState.selection ? details(mapState.selection) : lists(geofences, devices),
    ]));
}

function foldButton(isFolded) {
  const made = button(isFolded ? t('Show list') : t('Hide list'), () => toggle(foldedKey), { id: 'map-fold', kind: 'plain', iconName: 'chevron' });
  made.setAttribute('aria-expanded', String(!isFolded));
  made.setAttribute('aria-controls', 'map-panel-body');
  return made;
}

function lists(geofences, devices) {
  return [
    feedSection(),
    // The first page is shown while the rest is loading.
    isFirstThere(devices) ? null : loaded(devicesKey, devices, () => null),
    isFirstThere(geofences) ? null : loaded(geofencesKey, geofences, () => null),
    mapState.devices.size > 0 || mapState.geofences.size > 0 ? inView() : devices.data && geofences.data ? nothing() : null,
    mapState.geofences.size > 0 ? legend() : null,
    geofences.data && !geofences.data.isComplete ? h('p', { class: 'meta', role: 'note' },
      tn(geofences.data.count, 'Only {count} geofence is shown. Zoom in to see all.', 'Only {count} geofences are shown. Zoom in to see all.')) : null,
  ];
}

const isFirstThere = ({ data, problem }) => data === null && problem === null && mapState.devices.size + mapState.geofences.size > 0;

function inView() {
  const { devices, geofences } = listedInView();
  return [
    list('devices', t('Devices in view'), t('No devices in view.'), devices, (device) => deviceRow(device, () => goTo({ kind: 'device', id: device.id }))),
    list('geofences', t('Geofences in view'), t('No geofences in view.'), geofences, ({ value }) =>
      geofenceRow(value, () => goTo({ kind: 'geofence', id: value.id }))),
  ];
}

const legend = () => h('details', { 'data-key': 'legend' }, h('summary', {}, t('What the colors mean')), h('ul', { class: 'map-legend' },
  legendEntry('fence', t('Geofence without devices inside')),
  legendEntry('fence occupied', t('Geofence with devices inside')),
  legendEntry('fence inactive', t('Inactive geofence')),
  legendEntry('device', t('Device, with its accuracy around it')),
  legendEntry('device stale', t('Device, last position more than {minutes} minutes ago', { minutes: staleAfter / 60_000 })),
  legendEntry('device alarm', t('Device with an open emergency'))));

const nothing = () => [
  empty(mapState.geofenceArea === 'all'
    ? t('There are no geofences yet, and no device has sent a position.')
    : t('There are no geofences or devices in this part of the map.')),
  mapState.geofenceArea === 'all' ? h('p', { class: 'actions' }, h('a', { class: 'button', href: '#/' }, t('Overview'))) : null,
];

function list(name, title, none, found, row) {
  const shown = found.slice(0, shownCounts[name]);
  return h('section', { 'data-key': name, 'aria-labelledby': `map-${name}-title` },
    h('h2', { id: `map-${name}-title` }, title, ' ', h('span', { class: 'quiet' }, number(found.length))),
    shown.length ? h('ul', { class: 'list', id: `map-${name}` }, shown.map(row)) : h('p', { class: 'quiet' }, none),
    found.length > shown.length ? h('p', {}, button(t('Show More'), () => {
      shownCounts[name] += pageSize;
      changed();
    }, { key: `more ${name}` })) : null);
}
