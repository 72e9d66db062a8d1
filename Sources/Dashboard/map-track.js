// The track of the selected device: its positions in the hours before its newest one.

import { request } from './api.js';
import { mapState, redrawMoving } from './map-state.js';
import { resource } from './state.js';

/** The number of hours before the newest position. */
export const trackHours = 6;
const most = 10_000;

/**
 * The track of a device. It is also drawn on the map while the device is selected.
 *
 * @param {string} id
 * @returns {import('./state.js').Resource|null} `{count, last}`; null while the device's position is unknown.
 */
export function trackResource(id) {
  const device = mapState.devices.get(id);
  if (!device) return null;
  return resource(`track of ${id}`, () => loadTrack(id));
}

async function loadTrack(id) {
  const since = new Date((mapState.devices.get(id)?.at ?? Date.now()) - trackHours * 3_600_000).toISOString();
  const { fixes } = await request('GET', `/v1/devices/${encodeURIComponent(id)}/track?since=${since}&limit=${most}`);
  if (mapState.selection?.id === id) {
    mapState.track = fixes.filter((fix) => fix.valid !== false).map(({ latitude, longitude }) => [latitude, longitude]);
    redrawMoving();
  }
  return { count: fixes.length, last: fixes.at(-1) ?? null };
}

/** Adds a new position to the track on the map. @param {{latitude: number, longitude: number}} position */
export function extendTrack({ latitude, longitude }) {
  if (mapState.track.length === 0) return;
  mapState.track.push([latitude, longitude]);
  if (mapState.track.length > most) mapState.track.shift();
}
