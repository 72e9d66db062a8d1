// The geofences of the map view: loaded for the part of the earth in view, and kept ready to be drawn.

import { request } from './api.js';
import { outlinesOf } from './map-shapes.js';
import { mapState, redrawMap } from './map-state.js';
import { load } from './state.js';

/**
 * @typedef {object} LoadedGeofence
 * @property {object} value As the service writes it.
 * @property {[number, number][][][]} outlines As `outlinesOf` makes them.
 */

/** The name under which the page knows the loaded geofences. */
export const geofencesKey = '/v1/geofences on the map';

const pageSize = 1000;

/** @param {object} value A geofence as the service writes it. @returns {LoadedGeofence} */
const prepared = (value) => ({ value, outlines: outlinesOf(value) });

/** Shows a geofence as it now is, before the service is asked again. @param {object} value */
export function putGeofence(value) {
  mapState.geofences.set(value.id, prepared(value));
  redrawMap();
}

/** @param {string} id */
export function dropGeofence(id) {
  mapState.geofences.delete(id);
  redrawMap();
}

/** Loads what is in view again. */
export const reloadGeofences = () => load(geofencesKey);

/** Loads the geofences in view. @returns {Promise<{count: number}>} */
export async function loadGeofences() {
  let after = '';
  const found = new Map();
  do {
    const page = await request('GET', `/v1/geofences?limit=${pageSize}${after}`);
    for (const value of page.geofences) found.set(value.id, prepared(value));
    after = page.next && `&after=${encodeURIComponent(page.next)}`;
  } while (after);
  mapState.geofences = found;
  redrawMap();
  return { count: found.size };
}
