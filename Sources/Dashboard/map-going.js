// Selects a geofence or a device and moves the map to it.

import { request } from './api.js';
import { isCalm } from './map-canvas.js';
import { putDevice } from './map-devices.js';
import { chooseView } from './map-first-view.js';
import { putGeofence } from './map-geofences.js';
import { boxOf } from './map-shapes.js';
import { mapState, select } from './map-state.js';
import { focusWhenDrawn, run } from './state.js';

/** The zoom at which a device is shown, unless the current zoom is higher. */
const deviceZoom = 16;

/** The key of the operation, under which its problem is shown. */
export const goingKey = 'map going';

/** @param {import('./map-state.js').Selection} selection */
export function goTo(selection) {
  select(selection);
  // The details have replaced the chosen row, so the focus moves to them.
  const panel = document.getElementById('map-panel');
  if (panel?.contains(document.activeElement)) focusWhenDrawn('map-details-title');
  return run(goingKey, async () => {
    if (selection.kind === 'geofence') await goToGeofence(selection.id);
    else await goToDevice(selection.id);
  });
}

/** Shows a place on the map. @param {{south: number, west: number, north: number, east: number}} place */
export function goToPlace({ south, west, north, east }) {
  if (!mapState.map) return;
  chooseView();
  // A box across the antimeridian continues east of 180°.
  mapState.fit([[south, west], [north, east < west ? east + 360 : east]], { animate: !isCalm() });
}

async function goToGeofence(id) {
  if (!mapState.geofences.has(id)) putGeofence(await request('GET', `/v1/geofences/${encodeURIComponent(id)}`));
  const [west, south, east, north] = boxOf(mapState.geofences.get(id).value);
  if (!mapState.map) return;
  chooseView();
  mapState.fit([[south, west], [north, east]], { animate: !isCalm() });
}

async function goToDevice(id) {
  if (!mapState.devices.has(id)) putDevice(await request('GET', `/v1/devices/${encodeURIComponent(id)}`));
  const device = mapState.devices.get(id);
  if (!device || !mapState.map) return;
  chooseView();
  mapState.map.setView([device.latitude, device.longitude], Math.max(deviceZoom, mapState.map.getZoom()), { animate: !isCalm() });
}
