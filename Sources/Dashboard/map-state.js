// What the map view shows: the map itself, the geofences and devices that are loaded, what is selected, and the tools that other
// modules add to it.

import { changed } from './state.js';

/** @typedef {{kind: 'geofence'|'device', id: string}} Selection */

/**
 * @typedef {object} MapTool Something that is done on the map, as drawing a circle.
 * @property {(parts: string[]) => any} [actions] Buttons for the row above the list; drawn with the page.
 * @property {(selection: Selection) => any} [details] What it adds to the details of what is selected, above the links.
 * @property {() => any} [panel] What the panel shows in place of the list while the tool is in use; null when it is not in use.
 * @property {() => boolean} [isActive] Whether it takes the clicks on the map.
 * @property {(map: object) => void} [started] The map is on the page; the tool may add its layers and listeners.
 * @property {(map: object) => void} [stopped] The map leaves the page.
 */

export const mapState = {
  /** @type {import('./leaflet/leaflet.esm.min.js').Map|null} The Leaflet map; null while the view is not shown. */
  map: null,
  /** @type {((places: any, options?: object) => void)|null} Shows all of some places; see `createMap`. */
  fit: null,
  /** @type {Map<string, import('./map-fence.js').LoadedGeofence>} By id. */
  geofences: new Map(),
  /** @type {Map<string, import('./map-devices.js').MapDevice>} By id. */
  devices: new Map(),
  /** @type {Map<string, Set<string>>} Of each geofence that somebody is in, the ids of the devices. */
  occupants: new Map(),
  /** @type {import('./map-area.js').Area|null} The area whose geofences are loaded. */
  geofenceArea: null,
  /** @type {import('./map-area.js').Area|null} The area whose devices are loaded. */
  deviceArea: null,
  /** @type {import('./map-area.js').Area|null} The area whose positions the live stream tells. */
  positionArea: null,
  /** Whether a position came of a device that is not loaded. */
  hasUnknownDevice: false,
  /** @type {[number, number][]} Where the selected device was: latitudes and longitudes, the oldest first. */
  track: [],
  /** @type {Selection|null} */
  selection: null,
  /** @type {Set<string>} Ids of geofences that a tool draws itself, so that the view does not. */
  hiddenGeofences: new Set(),
};

/** @type {MapTool[]} */
export const tools = [];

/** Adds a tool to the map view. A module that does so is imported by map.js. @param {MapTool} tool */
export const addTool = (tool) => { tools.push(tool); };

const nothing = { still() {}, states() {}, moving() {} };
let redraw = nothing;

/** @param {{still: () => void, states: (box?: number[]) => void, moving: () => void}|null} callbacks Draw the canvases again. */
export const onRedraw = (callbacks) => { redraw = callbacks ?? nothing; };

/** Asks for all canvases of the map to be drawn, with the next frame: geofences have changed. */
export function redrawMap() {
  redraw.still();
  redraw.states();
  redraw.moving();
}

/** Asks for the canvas of what is selected and of who is where to be drawn, with the next frame. */
export const redrawStates = () => redraw.states();

/** Asks for the part of that canvas around a geofence to be drawn. @param {[number, number, number, number]} box As of `LoadedGeofence`. */
export const redrawState = (box) => redraw.states(box);

/** Asks for the canvas of the devices to be drawn, with the next frame. */
export const redrawMoving = () => redraw.moving();

const selectionListeners = new Set();

/** Calls a function whenever something else is selected. @param {(selection: Selection|null) => void} callback */
export const onSelection = (callback) => { selectionListeners.add(callback); };

/**
 * Selects a geofence or a device, or nothing. The panel then shows its details.
 *
 * @param {Selection|null} selection
 */
export function select(selection) {
  if (!(selection && isSelected(selection.kind, selection.id))) mapState.track = [];
  mapState.selection = selection;
  for (const callback of selectionListeners) callback(selection);
  redrawStates();
  redrawMoving();
  changed();
}

/** Whether something is selected. @param {'geofence'|'device'} kind @param {string} id */
export const isSelected = (kind, id) => mapState.selection?.kind === kind && mapState.selection.id === id;
