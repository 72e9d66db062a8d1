// The geofences of the map view, loaded for the visible part of the earth and prepared for drawing.

import { request } from './api.js';
import { areaToLoad, boxParameter } from './map-area.js';
import { LoadedGeofence } from './map-fence.js';
import { firstArrived, hasView } from './map-first-view.js';
import { outdateListing } from './map-listing.js';
import { mapState, redrawMap } from './map-state.js';
import { load } from './state.js';

/** The key of the loaded geofences among the page's resources. */
export const geofencesKey = '/v1/geofences on the map';
/** The maximum number of geofences on the map. */
const mostGeofences = 12_000;

const pageSize = 1000;

/** The existing prepared geofence if it has not changed, otherwise a new one. */
function prepared(value) {
  const before = mapState.geofences.get(value.id);
  return before && JSON.stringify(before.value) === JSON.stringify(value) ? before : new LoadedGeofence(value);
}

/** Adds or updates a geofence on the map without asking the service. @param {object} value */
export function putGeofence(value) {
  mapState.geofences.set(value.id, prepared(value));
  outdateListing();
  redrawMap();
}

/** Loads the visible geofences again. */
export const reloadGeofences = () => load(geofencesKey);

/** Loads the geofences in the visible area and around it. @returns {Promise<{count: number, isComplete: boolean}>} */
export async function loadGeofences() {
  try {
    if (!hasView()) {
      const page = await ask('all');
      show(new Map(page.geofences.map((value) => [value.id, prepared(value)])));
      await firstArrived('geofences');
      if (!page.next) return finish('all', true);
    }
    const area = areaToLoad();
    const found = new Map();
    let after;
    do {
      const page = await ask(area, after);
      for (const value of page.geofences) found.set(value.id, prepared(value));
      after = page.next;
    } while (after && found.size < mostGeofences);
    show(found);
    return finish(area, !after);
  } finally {
    firstArrived('geofences');
  }
}

const ask = (area, after) => request('GET', `/v1/geofences?limit=${pageSize}${boxParameter(area)}${after ? `&after=${encodeURIComponent(after)}` : ''}`);

/** If the area has more geofences than were loaded, it is loaded again when the map moves. */
function finish(area, isComplete) {
  mapState.geofenceArea = isComplete ? area : null;
  return { count: mapState.geofences.size, isComplete };
}

function show(found) {
  const before = mapState.geofences;
  if (found.size === before.size && [...found].every(([id, fence]) => before.get(id) === fence)) return;
  mapState.geofences = found;
  outdateListing();
  redrawMap();
}
