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
import { t } from './translate.js';

const pageSize = 30;
let shownCounts = { devices: pageSize, geofences: pageSize };

export const resetPanel = () => { shownCounts = { devices: pageSize, geofences: pageSize }; };

/** The key of the panel's collapsed state on a narrow page. */
const foldedKey = 'map folded';

/** @param {string[]} parts The parts of the address after `#/map`. */
export function panel(parts) {
  // Both resources are requested in each drawing, so that they are kept up to date whatever the panel shows.
  const geofences = resource(geofencesKey, loadGeofences);
  const devices = resource(devicesKey, loadDevices);
  markAlarmed([...new Set(openEmergencies().map(({ deviceId }) => deviceId))]);
  const own = tools.map((tool) => tool.panel?.()).find(Boolean);
  const isFolded = app.open.has(foldedKey) && !own;
  return h('aside', { class: isFolded ? 'map-panel folded' : 'map-panel', id: 'map-panel', 'data-key': 'panel', 'aria-labelledby': 'view-title' },
    h('div', { class: 'map-panel-head', 'data-key': 'head' },
      heading(t('nav.map'), foldButton(isFolded)),
      own ? null : searchField()),
    h('div', { class: 'map-panel-body', id: 'map-panel-body', 'data-key': 'body' }, own ?? [
      h('p', { class: 'actions map-tools', 'data-key': 'tools' }, tools.map((tool) => tool.actions?.(parts))),
      operationProblem(goingKey),
      isSearching() ? searchResults() : mapState.selection ? details(mapState.selection) : lists(geofences, devices),
    ]));
}

function foldButton(isFolded) {
  const made = button(t(isFolded ? 'map.unfold' : 'map.fold'), () => toggle(foldedKey), { id: 'map-fold', kind: 'plain', iconName: 'chevron' });
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
    geofences.data && !geofences.data.isComplete ? h('p', { class: 'meta', role: 'note' }, t('map.tooMany', { count: geofences.data.count })) : null,
  ];
}

const isFirstThere = ({ data, problem }) => data === null && problem === null && mapState.devices.size + mapState.geofences.size > 0;

function inView() {
  const { devices, geofences } = listedInView();
  return [
    list('devices', t('map.devices'), devices, (device) => deviceRow(device, () => goTo({ kind: 'device', id: device.id }))),
    list('geofences', t('map.geofences'), geofences, ({ value }) => geofenceRow(value, () => goTo({ kind: 'geofence', id: value.id }))),
  ];
}

const legend = () => h('details', { 'data-key': 'legend' }, h('summary', {}, t('map.legend')), h('ul', { class: 'map-legend' },
  legendEntry('fence', t('map.legend.fence')), legendEntry('fence occupied', t('map.legend.occupied')), legendEntry('fence inactive', t('map.legend.inactive')),
  legendEntry('device', t('map.legend.device')), legendEntry('device stale', t('map.legend.stale', { minutes: staleAfter / 60_000 })),
  legendEntry('device alarm', t('map.legend.alarm'))));

const nothing = () => [
  empty(t(mapState.geofenceArea === 'all' ? 'map.empty' : 'map.emptyView')),
  mapState.geofenceArea === 'all' ? h('p', { class: 'actions' }, h('a', { class: 'button', href: '#/' }, t('nav.overview'))) : null,
];

function list(name, title, found, row) {
  const shown = found.slice(0, shownCounts[name]);
  return h('section', { 'data-key': name, 'aria-labelledby': `map-${name}-title` },
    h('h2', { id: `map-${name}-title` }, title, ' ', h('span', { class: 'quiet' }, number(found.length))),
    shown.length ? h('ul', { class: 'list', id: `map-${name}` }, shown.map(row)) : h('p', { class: 'quiet' }, t(`map.${name}.none`)),
    found.length > shown.length ? h('p', {}, button(t('showMore'), () => {
      shownCounts[name] += pageSize;
      changed();
    }, { key: `more ${name}` })) : null);
}
