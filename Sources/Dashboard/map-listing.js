// What is in view, in the order of names. Sorted anew when the map has moved or something was loaded, and not with each drawing.

import { fromMercator } from './map-shapes.js';
import { mapState } from './map-state.js';

const collator = new Intl.Collator(undefined, { numeric: true });
/** Milliseconds for which a list stands while devices come and go. */
const interval = 5000;

let listed = { devices: [], geofences: [], at: -Infinity };

/** Lets the lists be made anew. */
export const outdateListing = () => { listed.at = -Infinity; };

/** The devices and geofences in view by name. @returns {{devices: object[], geofences: object[]}} */
export function listedInView() {
  if (performance.now() - listed.at > interval) listed = { ...make(), at: performance.now() };
  return listed;
}

function make() {
  const bounds = mapState.map?.getBounds();
  if (!bounds) return { devices: [], geofences: [] };
  const devices = [...mapState.devices.values()].filter(({ latitude, longitude }) => isInView(bounds, latitude, longitude, latitude, longitude));
  const geofences = [...mapState.geofences.values()].filter(({ value, box: [x0, y0, x1, y1] }) => {
    if (mapState.hiddenGeofences.has(value.id)) return false;
    const [north, west] = fromMercator(x0, y0);
    const [south, east] = fromMercator(x1, y1);
    return isInView(bounds, south, west, north, east);
  });
  return {
    devices: sorted(devices, ({ name }) => name),
    geofences: sorted(geofences, ({ value }) => value.name || value.id),
  };
}

const sorted = (list, nameOf) => list.sort((a, b) => collator.compare(nameOf(a), nameOf(b)));

function isInView(bounds, south, west, north, east) {
  if (north < bounds.getSouth() || south > bounds.getNorth()) return false;
  const turned = west + 360 * Math.ceil((bounds.getWest() - east) / 360);
  return turned <= bounds.getEast();
}
