// The map view: geofences and devices on a map, with a panel beside it.

import './map-edit.js';
import { h } from './dom.js';
import { isFollowing, onEvents, onPositions, wantPositions } from './live-feed.js';
import { areaToLoad, asBox, serves } from './map-area.js';
import { createMap, L } from './map-canvas.js';
import { CanvasLayer } from './map-canvas-layer.js';
import { onColors } from './map-colors.js';
import { applyPositions, applyTransition, devicesKey } from './map-devices.js';
import { drawDevices, drawFences, drawNames, drawStates } from './map-drawing.js';
import { addTransition, clearFeed, isTransition } from './map-feed.js';
import { beginView, hasView, showAll, storeView } from './map-first-view.js';
import { clearFlashes, flash } from './map-flashes.js';
import { geofencesKey } from './map-geofences.js';
import { goTo } from './map-going.js';
import { outdateListing } from './map-listing.js';
import { extendTrack } from './map-track.js';
import { panel, resetPanel } from './map-panel.js';
import './map-history.js';
import { pick } from './map-picking.js';
import { isSelected, mapState, onRedraw, redrawMap, redrawState, select, tools } from './map-state.js';
import { changed, load } from './state.js';
import { t } from './translate.js';

/** The minimum number of milliseconds between two redraws of the selected device's details. */
const detailsInterval = 1000;
/** Milliseconds after which unknown devices, of which only positions have arrived, are loaded. */
const unknownDelay = 3000;

/** @type {ReturnType<typeof createMap>|null} */
let shownMap = null;
/** Functions to call when the view is left. @type {(() => void)[]} */
let endings = [];
let lastRoute = '';
let timers = {};

export const title = () => t('Map');

/** @param {string[]} parts `device/ID` or `geofence/ID` to show that object first, or `geofence/ID/edit` to edit it. */
export function view(parts) {
  return [h('div', { class: 'map-view', 'data-key': 'map-view', 'data-live': isFollowing(), onkeydown: keyPressed },
    h('div', { class: 'map-stage', id: 'map', 'data-key': 'map', 'data-own-content': true }),
    panel(parts))];
}

function keyPressed(event) {
  if (event.key === 'Escape' && !event.defaultPrevented && mapState.selection && !isBusy()) select(null);
}

/** Called after each drawing of the page. */
export function shown(parts) {
  if (!shownMap) start();
  followRoute(parts);
}

function start() {
  shownMap = createMap(document.getElementById('map'));
  const { map, fit } = shownMap;
  Object.assign(mapState, { map, fit });
  const layers = addLayers(map);
  onRedraw({
    still() {
      layers.fences.redraw();
      layers.names.redraw();
    },
    states: (box) => (box ? layers.states.redrawPart(box) : layers.states.redraw()),
    moving: () => layers.devices.redraw(),
  });
  const flashes = map.createPane('flashes');
  flashes.style.zIndex = 380;
  flashes.style.pointerEvents = 'none';
  map.on('zoomstart', clearFlashes);
  addShowAll(map);
  beginView();
  map.on('moveend', moved);
  map.on('click', (event) => { if (!isBusy()) select(pick(event.containerPoint)); });
  map.on('mousemove', (event) => hover(event));
  map.on('mouseout', () => hover(null));
  endings = [onPositions(positionsCame), onEvents(eventCame), onColors(redrawMap)];
  for (const tool of tools) tool.started?.(map);
  if (hasView()) moved();
}

function addLayers(map) {
  const layer = (name, zIndex, draw, options) => {
    map.createPane(name).style.zIndex = zIndex;
    map.getPane(name).style.pointerEvents = 'none';
    return new CanvasLayer(draw, { pane: name, ...options }).addTo(map);
  };
  return {
    fences: layer('fences', 360, drawFences, { isShifted: true }),
    states: layer('states', 370, drawStates, { isShifted: true }),
    names: layer('names', 375, drawNames),
    devices: layer('devices', 450, drawDevices, { padding: 0.1 }),
  };
}

/** A button on the map that shows everything. */
function addShowAll(map) {
  const control = L.control({ position: 'topright' });
  control.onAdd = () => {
    const made = h('button', { type: 'button', class: 'map-control', id: 'map-show-all', title: t('Show everything'), 'aria-label': t('Show everything') }, '⤢');
    L.DomEvent.disableClickPropagation(made);
    made.onclick = showEverything;
    return made;
  };
  control.addTo(map);
}

/** Shows all geofences and devices. Distant ones may not be loaded, so the whole earth is loaded first. */
async function showEverything() {
  if (mapState.geofenceArea !== 'all' || mapState.deviceArea !== 'all') {
    mapState.map.setView([20, 0], 1, { animate: false });
    await Promise.all([load(geofencesKey), load(devicesKey)]);
  }
  if (shownMap) showAll();
}

const isBusy = () => tools.some((tool) => tool.isActive?.());

/** Handles a movement of the map: requests positions in the new area, and loads the data that became visible. */
function moved() {
  // A zoom may end after the view was left.
  if (!mapState.map) return;
  if (!hasView()) return;
  storeView();
  outdateListing();
  const area = areaToLoad();
  if (!serves(mapState.positionArea)) {
    mapState.positionArea = area;
    wantPositions(area === 'all' ? 'all' : asBox(area));
  }
  if (!serves(mapState.geofenceArea)) load(geofencesKey);
  if (!serves(mapState.deviceArea)) load(devicesKey);
  changed();
}

function positionsCame(positions) {
  applyPositions(positions);
  const { selection } = mapState;
  const own = selection?.kind === 'device' && positions.find(({ deviceId }) => deviceId === selection.id);
  if (own) {
    extendTrack(own);
    timers.details ??= setTimeout(() => {
      timers.details = null;
      changed();
    }, detailsInterval);
  }
  if (mapState.hasUnknownDevice) {
    timers.unknown ??= setTimeout(() => {
      timers.unknown = null;
      if (mapState.hasUnknownDevice) load(devicesKey);
    }, unknownDelay);
  }
}

function eventCame(event) {
  if (!isTransition(event.type)) return;
  if (applyTransition(event)) {
    const fence = mapState.geofences.get(event.geofenceId);
    if (fence) redrawState(fence.box);
  }
  flash(event.geofenceId, event.type);
  addTransition(event);
}

/** Shows the name of the object under the mouse pointer. */
function hover(event) {
  const found = event && !isBusy() ? pick(event.containerPoint) : null;
  const container = mapState.map.getContainer();
  const name = found && (found.kind === 'device' ? mapState.devices.get(found.id)?.name : mapState.geofences.get(found.id)?.value.name ?? found.id);
  if (container.title !== (name ?? '')) container.title = name ?? '';
  container.classList.toggle('is-over', found !== null);
}

/** Shows the object in the address, once. */
function followRoute(parts) {
  const route = parts.join('/');
  if (route === lastRoute) return;
  lastRoute = route;
  const [kind, id] = parts;
  if ((kind === 'device' || kind === 'geofence') && id) {
    for (const tool of tools) tool.requested?.(parts);
    if (!isSelected(kind, id)) goTo({ kind, id });
    return;
  }
  if (!kind && mapState.selection) select(null);
}

/** Called when another view replaces this one. */
export function left() {
  if (!shownMap) return;
  for (const tool of tools) tool.stopped?.(shownMap.map);
  wantPositions(null);
  for (const end of endings) end();
  for (const timer of Object.values(timers)) clearTimeout(timer);
  onRedraw(null);
  clearFeed();
  resetPanel();
  shownMap.destroy();
  shownMap = null;
  endings = [];
  timers = {};
  lastRoute = '';
  Object.assign(mapState, {
    map: null, fit: null, selection: null, track: [], geofences: new Map(), devices: new Map(), occupants: new Map(),
    geofenceArea: null, deviceArea: null, positionArea: null,
  });
  mapState.hiddenGeofences.clear();
}
