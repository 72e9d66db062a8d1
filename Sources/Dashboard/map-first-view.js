// Where the map view begins: where it was in this tab, else around all geofences and devices.

import { boxOf } from './map-shapes.js';
import { mapState } from './map-state.js';

const storageKey = 'picket.map';

let arrivals = null;

/** Whether the map shows a part of the earth that was chosen. */
export const hasView = () => arrivals === null;

/** Goes to where the map was in this tab. Without such a place, what is loaded first decides. */
export function beginView() {
  const [latitude, longitude, zoom] = stored();
  const isKnown = [latitude, longitude, zoom].every(Number.isFinite);
  if (isKnown) mapState.map.setView([latitude, longitude], zoom, { animate: false });
  const waiting = new Set(['geofences', 'devices']);
  let finish;
  arrivals = isKnown ? null : { waiting, isOver: new Promise((resolve) => { finish = resolve; }), finish };
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey)) ?? [];
  } catch {
    return [];
  }
}

export function storeView() {
  if (!hasView()) return;
  const { lat, lng } = mapState.map.getCenter();
  try {
    sessionStorage.setItem(storageKey, JSON.stringify([lat, lng, mapState.map.getZoom()]));
  } catch {
    // A browser that keeps nothing for this page begins with everything in view.
  }
}

/** Takes what is shown now for chosen, as when a person has followed a link to a geofence. */
export function chooseView() {
  arrivals?.finish();
  arrivals = null;
}

/**
 * Says that the first part of what is to be shown is there, and waits for the rest.
 *
 * @param {'geofences'|'devices'} kind
 */
export async function firstArrived(kind) {
  if (!arrivals) return;
  const { isOver } = arrivals;
  arrivals.waiting.delete(kind);
  if (arrivals.waiting.size === 0) {
    chooseView();
    showAll({ animate: false });
  }
  await isOver;
}

/** Shows all geofences and devices that are loaded. @param {object} [options] As of Leaflet's `fitBounds`. */
export function showAll(options) {
  const places = [...mapState.devices.values()].map(({ latitude, longitude }) => [latitude, longitude]);
  for (const { value } of mapState.geofences.values()) {
    const [west, south, east, north] = value.geometry ? boxOf(value) : [value.longitude, value.latitude, value.longitude, value.latitude];
    places.push([south, west], [north, east]);
  }
  if (places.length > 0 && mapState.map) mapState.fit(places, options);
}
