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
  /** @type {Map<string, import('./map-geofences.js').LoadedGeofence>} By id. */
  geofences: new Map(),
  /** @type {Map<string, object>} By id. */
  devices: new Map(),
  /** @type {Selection|null} */
  selection: null,
  /** @type {Set<string>} Ids of geofences that a tool draws itself, so that the view does not. */
  hiddenGeofences: new Set(),
};

/** @type {MapTool[]} */
export const tools = [];

/** Adds a tool to the map view. A module that does so is imported by map.js. @param {MapTool} tool */
export const addTool = (tool) => { tools.push(tool); };

let redraw = () => {};

/** @param {() => void} callback Draws the canvases again. */
export const onRedraw = (callback) => { redraw = callback; };

/** Asks for the canvases of the map to be drawn, with the next frame. */
export const redrawMap = () => redraw();

/**
 * Selects a geofence or a device, or nothing. The panel then shows its details.
 *
 * @param {Selection|null} selection
 */
export function select(selection) {
  mapState.selection = selection;
  redraw();
  changed();
}

/** Whether something is selected. @param {'geofence'|'device'} kind @param {string} id */
export const isSelected = (kind, id) => mapState.selection?.kind === kind && mapState.selection.id === id;
