// The search of the map view: the service searches geofences, and the page searches devices by name or id. If the service has a geocoder,
// a button also searches for an address. This is not done while a person types, because each search is sent to another server.

import { request } from './api.js';
import { h } from './dom.js';
import { putGeofence } from './map-geofences.js';
import { deviceRow, geofenceRow, placeRow } from './map-rows.js';
import { goTo, goToPlace } from './map-going.js';
import { mapState } from './map-state.js';
import { button, empty } from './parts.js';
import { operationProblem } from './problem-card.js';
import { app, changed, clearFailures, focusWhenDrawn, operation, resource, run } from './state.js';
import { loaded } from './loaded.js';
import { t } from './translate.js';

/** Milliseconds after the last key press before the service is asked. */
const delay = 200;
const most = 20;
const pageSize = 1000;
const mostDevices = 10_000;
const devicesKey = '/v1/devices to search';
const addressKey = 'search for an address';
/** Seconds to wait for the places of an address. The service may have to wait before it asks the geocoder. */
const addressLimit = 40;

let typed = '';
let asked = '';
let timer = null;
/** The places that the geocoder has found for a text. */
let addresses = { text: '', places: [], attribution: '' };

/** Whether a search is active. */
export const isSearching = () => asked !== '';

function clearSearch() {
  clearTimeout(timer);
  typed = asked = '';
  clearFailures([addressKey]);
  const input = document.getElementById('map-search');
  if (input) input.value = '';
  changed();
}

function type(text) {
  typed = text.trim();
  clearTimeout(timer);
  timer = setTimeout(() => {
    asked = typed;
    clearFailures([addressKey]);
  }, delay);
}

/** Searches for the address. If the text changes meanwhile, neither the answer nor a failure is shown. */
const searchAddress = () => run(addressKey, async () => {
  const text = asked;
  try {
    const answer = await request('GET', `/v1/geocode?q=${encodeURIComponent(text)}`, undefined, { seconds: addressLimit });
    if (asked === text) addresses = { text, ...answer };
  } catch (failure) {
    if (asked === text) throw failure;
  }
});

export const searchField = () => h('div', { class: 'map-search', role: 'search', 'data-key': 'search' },
  h('label', { class: 'hidden-visually', for: 'map-search' }, t('Search geofences and devices')),
  h('input', {
    id: 'map-search', type: 'search', placeholder: t('Search geofences and devices'), autocomplete: 'off', spellcheck: 'false',
    oninput: (event) => type(event.target.value),
    onkeydown: (event) => {
      if (event.key === 'Escape') clearSearch();
      if (event.key === 'Enter') document.querySelector('#map-results button')?.click();
    },
  }));

/** All devices, so that those outside of the visible area are found as well. */
async function allDevices() {
  const devices = [];
  let after;
  do {
    const page = await request('GET', `/v1/devices?limit=${pageSize}${after ? `&after=${encodeURIComponent(after)}` : ''}`);
    devices.push(...page.devices);
    after = page.next;
  } while (after && devices.length < mostDevices);
  return devices.map(({ id, name, lastFix }) => ({ id, name: name || id, at: lastFix ? Date.parse(lastFix.timestamp) : 0 }));
}

/** @param {string} text @param {string} sought */
const contains = (text, sought) => text.toLocaleLowerCase().includes(sought.toLocaleLowerCase());

export function searchResults() {
  const path = `/v1/geofences?matching=${encodeURIComponent(asked)}&limit=${most}`;
  const devices = resource(devicesKey, allDevices);
  return h('div', { id: 'map-results', 'data-key': 'results' },
    loaded(path, resource(path), ({ geofences }) => loaded(devicesKey, devices, (all) => {
      const found = all.filter(({ id, name, at }) => at && (contains(name, asked) || contains(id, asked))).slice(0, most);
      const count = found.length + geofences.length;
      return [
        h('p', { class: 'meta', role: 'status' }, t('{count} found', { count })),
        count === 0 ? empty(t('No geofence or device with a position has this text in its name or identifier.')) : h('ul', { class: 'list' },
          found.map((device) => deviceRow(mapState.devices.get(device.id) ?? device, () => choose({ kind: 'device', id: device.id }))),
          geofences.map((value) => geofenceRow(value, () => {
            putGeofence(value);
            choose({ kind: 'geofence', id: value.id });
          }))),
        app.session?.hasGeocoder ? addressResults() : null,
      ];
    })));
}

/** The places at the address that is searched, or the button that searches for them. */
const addressResults = () => h('section', { id: 'map-addresses', class: 'map-addresses', 'data-key': 'addresses' },
  addresses.text === asked
    ? foundPlaces()
    : h('p', {}, button(t('Search for an address'), searchAddress, { isRunning: operation(addressKey).isRunning, key: 'search address' })),
  operationProblem(addressKey));

const foundPlaces = () => [
  h('p', { class: 'meta', role: 'status' }, t('{count} found', { count: addresses.places.length })),
  addresses.places.length === 0 ? empty(t('No address or place was found.')) : [
    h('ul', { class: 'list' }, addresses.places.map((place, index) => placeRow(place, index, () => {
      clearSearch();
      goToPlace(place);
      // The row is gone, so the focus moves to the field.
      focusWhenDrawn('map-search', { preventScroll: true });
    }))),
    h('p', { class: 'meta' }, addresses.attribution),
  ],
];

function choose(selection) {
  clearSearch();
  goTo(selection);
}
