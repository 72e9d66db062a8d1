// Finds the object at a point on the map.

import { mapState } from './map-state.js';

/** The maximum number of pixels between a click and a device's mark. */
const reach = 14;

/**
 * The device at a point on the map; without a device, the smallest geofence.
 *
 * @param {{x: number, y: number}} point The point in pixels of the map's element.
 * @returns {import('./map-state.js').Selection|null}
 */
export function pick(point) {
  const { map } = mapState;
  const scale = 256 * 2 ** map.getZoom();
  const origin = map.getPixelOrigin().add(map.containerPointToLayerPoint(point));
  const [x, y] = [origin.x / scale, origin.y / scale];
  return nearestDevice(x, y, scale) ?? smallestGeofence(x, y, scale);
}

function nearestDevice(x, y, scale) {
  let [nearest, least] = [null, reach];
  for (const device of mapState.devices.values()) {
    const dx = x - device.x;
    const distance = Math.hypot((dx - Math.round(dx)) * scale, (y - device.y) * scale);
    if (distance < least) [nearest, least] = [device, distance];
  }
  return nearest && { kind: 'device', id: nearest.id };
}

function smallestGeofence(x, y, scale) {
  let [found, least] = [null, Infinity];
  for (const [id, fence] of mapState.geofences) {
    if (mapState.hiddenGeofences.has(id)) continue;
    const size = fence.sizeAt(scale);
    if (size >= least) continue;
    const isHit = size < reach ? isNear(fence, x, y, scale) : fence.covers(x, y);
    if (isHit) [found, least] = [id, size];
  }
  return found && { kind: 'geofence', id: found };
}

function isNear({ box: [x0, y0, x1, y1] }, x, y, scale) {
  const dx = x - (x0 + x1) / 2;
  return Math.hypot((dx - Math.round(dx)) * scale, (y - (y0 + y1) / 2) * scale) < reach / 2 + 2;
}
