// The first view of the map: the last view in this tab, otherwise all geofences and devices.

import { boxOf } from './map-shapes.js';
import { mapState } from './map-state.js';

const storageKey = 'picket.map';

let arrivals = null;

/** Whether the map already shows a definite part of the earth. */
export const hasView = () => arrivals === null;

/** Restores the last view in this tab. Without one, the first loaded data determines the view. */
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
    // If the browser does not store data for this page, the map starts with everything visible.
  }
}

/** Keeps the current view, for example when the person has followed a link to a geofence. */
export function chooseView() {
  arrivals?.finish();
  arrivals = null;
}

/**
 * Records that the first page of the data is loaded, and waits for the other kind.
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

/** Shows all loaded geofences and devices. @param {object} [options] As of Leaflet's `fitBounds`. */
export function showAll(options) {
  const places = [...mapState.devices.values()].map(({ latitude, longitude }) => [latitude, longitude]);
  for (const { value } of mapState.geofences.values()) {
    const [west, south, east, north] = value.geometry ? boxOf(value) : [value.longitude, value.latitude, value.longitude, value.latitude];
    places.push([south, west], [north, east]);
  }
  if (places.length > 0 && mapState.map) mapState.fit(places, options);
}
