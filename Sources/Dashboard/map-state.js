// The state of the map view: the map itself, the loaded geofences and devices, the selection, and the tools that other modules add.

import { changed } from './state.js';

/** @typedef {{kind: 'geofence'|'device', id: string}} Selection */

/**
 * @typedef {object} MapTool An activity on the map, such as drawing a circle.
 * @property {(parts: string[]) => any} [actions] Buttons for the row above the list. Called at each drawing.
 * @property {(selection: Selection) => any} [details] The content that the tool adds to the details of the selected object, above the
 *     links.
 * @property {() => any} [panel] The content that replaces the list in the panel while the tool is active; null while it is not.
 * @property {() => boolean} [isActive] Whether the tool handles clicks on the map.
 * @property {(parts: string[]) => void} [requested] Called when the address requests an object, with the parts of the address after `#/map`.
 * @property {(map: object) => void} [started] Called when the map is on the page, so that the tool can add layers and listeners.
 * @property {(map: object) => void} [stopped] Called when the map leaves the page.
 */

export const mapState = {
  /** @type {import('./leaflet/leaflet.esm.min.js').Map|null} The Leaflet map; null while the view is not shown. */
  map: null,
  /** @type {((places: any, options?: object) => void)|null} Moves the map so that all of some positions are visible; see `createMap`. */
  fit: null,
  /** @type {Map<string, import('./map-fence.js').LoadedGeofence>} By id. */
  geofences: new Map(),
  /** @type {Map<string, import('./map-devices.js').MapDevice>} By id. */
  devices: new Map(),
  /** @type {Map<string, Set<string>>} For each occupied geofence, the ids of the devices inside of it. */
  occupants: new Map(),
  /** @type {import('./map-area.js').Area|null} The area whose geofences are loaded. */
  geofenceArea: null,
  /** @type {import('./map-area.js').Area|null} The area whose devices are loaded. */
  deviceArea: null,
  /** @type {import('./map-area.js').Area|null} The area whose positions the live stream contains. */
  positionArea: null,
  /** @type {Set<string>} The ids of the devices with an open emergency. */
  alarmed: new Set(),
  /** Whether a position of a device that is not loaded has arrived. */
  hasUnknownDevice: false,
  /** @type {[number, number][]} The latitudes and longitudes of the selected device's track, oldest first. */
  track: [],
  /** @type {Selection|null} */
  selection: null,
  /** @type {Set<string>} Ids of geofences that a tool draws itself, so that the view does not draw them. */
  hiddenGeofences: new Set(),
};

/** @type {MapTool[]} */
export const tools = [];

/** Adds a tool to the map view. map.js has to import the module that calls this. @param {MapTool} tool */
export const addTool = (tool) => { tools.push(tool); };

const nothing = { still() {}, states() {}, moving() {} };
let redraw = nothing;

/** @param {{still: () => void, states: (box?: number[]) => void, moving: () => void}|null} callbacks Redraw the canvases. */
export const onRedraw = (callbacks) => { redraw = callbacks ?? nothing; };

/** Redraws all canvases in the next frame, because geofences have changed. */
export function redrawMap() {
  redraw.still();
  redraw.states();
  redraw.moving();
}

/** Redraws the canvas with the selection and the occupied geofences in the next frame. */
export const redrawStates = () => redraw.states();

/** Redraws the part of that canvas around a geofence. @param {[number, number, number, number]} box As of `LoadedGeofence`. */
export const redrawState = (box) => redraw.states(box);

/** Redraws the canvas of the devices in the next frame. */
export const redrawMoving = () => redraw.moving();

/**
 * Selects a geofence or a device, or clears the selection with null. The panel then shows the details.
 *
 * @param {Selection|null} selection
 */
export function select(selection) {
  if (!(selection && isSelected(selection.kind, selection.id))) mapState.track = [];
  mapState.selection = selection;
  redrawStates();
  redrawMoving();
  changed();
}

/** Whether an object is selected. @param {'geofence'|'device'} kind @param {string} id */
export const isSelected = (kind, id) => mapState.selection?.kind === kind && mapState.selection.id === id;
