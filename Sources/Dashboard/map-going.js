// Goes to a geofence or a device: selects it and brings it into view.

import { request } from './api.js';
import { isCalm } from './map-canvas.js';
import { putDevice } from './map-devices.js';
import { chooseView } from './map-first-view.js';
import { putGeofence } from './map-geofences.js';
import { boxOf } from './map-shapes.js';
import { mapState, select } from './map-state.js';
import { focusWhenDrawn, run } from './state.js';

/** A device is shown at this zoom, unless the map is closer already. */
const deviceZoom = 16;

/** The operation under whose name the problem of going somewhere is shown. */
export const goingKey = 'map going';

/** @param {import('./map-state.js').Selection} selection */
export function goTo(selection) {
  select(selection);
  // The row that was chosen has given way to the details.
  const panel = document.getElementById('map-panel');
  if (panel?.contains(document.activeElement)) focusWhenDrawn('map-details-title');
  return run(goingKey, async () => {
    if (selection.kind === 'geofence') await goToGeofence(selection.id);
    else await goToDevice(selection.id);
  });
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
