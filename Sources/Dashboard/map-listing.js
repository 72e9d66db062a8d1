// The visible objects sorted by name. The lists are sorted again when the map has moved or data was loaded, not in each drawing.

import { fromMercator } from './map-shapes.js';
import { mapState } from './map-state.js';

const collator = new Intl.Collator(undefined, { numeric: true });
/** Milliseconds for which a list stays the same although devices move in and out. */
const interval = 5000;

let listed = { devices: [], geofences: [], at: -Infinity };

/** Makes the lists be created again. */
export const outdateListing = () => { listed.at = -Infinity; };

/** The visible devices and geofences, sorted by name. @returns {{devices: object[], geofences: object[]}} */
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
