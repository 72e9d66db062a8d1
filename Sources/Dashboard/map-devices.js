// The devices on the map: their positions, their trails, and the geofences that they are inside of.

import { request } from './api.js';
import { areaToLoad, boxParameter, isIn } from './map-area.js';
import { firstArrived, hasView } from './map-first-view.js';
import { outdateListing } from './map-listing.js';
import { mercator } from './map-shapes.js';
import { mapState, redrawMoving, redrawStates } from './map-state.js';

/** The key of the loaded devices among the page's resources. */
export const devicesKey = '/v1/devices on the map';

const pageSize = 1000;
const mostDevices = 10_000;
/** The number of positions in a trail. */
const trailLength = 30;
/** Milliseconds after which a position is shown as old. */
export const staleAfter = 10 * 60_000;

/**
 * @typedef {object} MapDevice
 * @property {string} id
 * @property {string} name
 * @property {object|null} value The device in the form of `/v1/devices`; null if only a position is known.
 * @property {number} x Mercator coordinate, as is `y`.
 * @property {number} y
 * @property {number} latitude
 * @property {number} longitude
 * @property {number} at The time of the position in milliseconds since 1970.
 * @property {number} [accuracy] Meters.
 * @property {number} [course] Degrees clockwise from north.
 * @property {number} [speed] Meters per second.
 * @property {number} [battery] 0 to 1.
 * @property {number[]} trail The preceding positions, alternating x and y, oldest first.
 */

/** Loads the devices in the visible area and around it. @returns {Promise<{count: number, isComplete: boolean}>} */
export async function loadDevices() {
  try {
    if (!hasView()) {
      const page = await ask('all');
      page.devices.forEach(putDevice);
      await firstArrived('devices');
      if (!page.next) return finish('all', new Set(page.devices.map(({ id }) => id)), true);
    }
    const area = areaToLoad();
    const found = new Set();
    let after;
    do {
      const page = await ask(area, after);
      for (const value of page.devices) {
        found.add(value.id);
        putDevice(value);
      }
      after = page.next;
    } while (after && found.size < mostDevices);
    return finish(area, found, !after);
  } finally {
    firstArrived('devices');
  }
}

const ask = (area, after) => request('GET', `/v1/devices?limit=${pageSize}${boxParameter(area)}${after ? `&after=${encodeURIComponent(after)}` : ''}`);

function finish(area, found, isComplete) {
  // Devices in the area that the response does not contain have moved elsewhere.
  for (const device of mapState.devices.values()) {
    if (isComplete && !found.has(device.id) && isIn(area, device.latitude, device.longitude)) mapState.devices.delete(device.id);
  }
  countOccupants();
  mapState.deviceArea = isComplete ? area : null;
  mapState.hasUnknownDevice = false;
  outdateListing();
  redrawStates();
  redrawMoving();
  return { count: found.size, isComplete };
}

/** Adds or updates a device in the form of the service. @param {object} value */
export function putDevice(value) {
  if (!value.lastFix) return;
  const device = mapState.devices.get(value.id) ?? { id: value.id, trail: [], at: 0 };
  device.name = value.name || value.id;
  device.value = value;
  mapState.devices.set(value.id, device);
  move(device, value.lastFix);
}

/** Moves devices to their newest positions from the live stream. @param {object[]} positions */
export function applyPositions(positions) {
  for (const position of positions) {
    let device = mapState.devices.get(position.deviceId);
    if (!device) {
      device = { id: position.deviceId, name: position.deviceId, value: null, trail: [], at: 0 };
      mapState.devices.set(device.id, device);
      mapState.hasUnknownDevice = true;
    }
    move(device, position);
  }
  redrawMoving();
}

function move(device, fix) {
  const at = Date.parse(fix.timestamp);
  if (at < device.at || (at === device.at && device.latitude === fix.latitude && device.longitude === fix.longitude)) return;
  if (device.at) {
    device.trail.push(device.x, device.y);
    if (device.trail.length > 2 * trailLength) device.trail.splice(0, 2);
  }
  [device.x, device.y] = mercator(fix.latitude, fix.longitude);
  device.at = at;
  for (const name of ['latitude', 'longitude', 'accuracy', 'course', 'speed', 'battery']) device[name] = fix[name];
}

/** Determines the devices inside each geofence. */
function countOccupants() {
  mapState.occupants = new Map();
  for (const { id, value } of mapState.devices.values()) for (const place of value?.inside ?? []) occupantsOf(place.geofenceId).add(id);
}

function occupantsOf(id) {
  if (!mapState.occupants.has(id)) mapState.occupants.set(id, new Set());
  return mapState.occupants.get(id);
}

/**
 * Records that a device has entered or left a geofence.
 *
 * @param {object} event An event in the form of `/v1/events`.
 * @returns {boolean} Whether a geofence became occupied or empty.
 */
export function applyTransition({ type, deviceId, geofenceId }) {
  if (!geofenceId || (type !== 'enter' && type !== 'exit')) return false;
  const inside = occupantsOf(geofenceId);
  const before = inside.size;
  if (type === 'enter') inside.add(deviceId);
  else inside.delete(deviceId);
  const places = mapState.devices.get(deviceId)?.value;
  if (places) {
    places.inside = (places.inside ?? []).filter((place) => place.geofenceId !== geofenceId);
    if (type === 'enter') places.inside.push({ geofenceId, geofenceName: mapState.geofences.get(geofenceId)?.value.name ?? geofenceId });
  }
  if (inside.size === 0) mapState.occupants.delete(geofenceId);
  return before === 0 || inside.size === 0;
}

/** Records which devices have an open emergency. @param {string[]} ids */
export function markAlarmed(ids) {
  if (ids.length === mapState.alarmed.size && ids.every((id) => mapState.alarmed.has(id))) return;
  mapState.alarmed = new Set(ids);
  redrawMoving();
}

/** How a device is shown: `alarm` while an emergency is open, `stale` if its position is old, otherwise `device`. */
export const markOf = (device, now) => (mapState.alarmed.has(device.id) ? 'alarm' : isStale(device, now) ? 'stale' : 'device');

/** Whether a device's position is old. @param {MapDevice} device @param {number} now Milliseconds since 1970. */
export const isStale = (device, now) => now - device.at > staleAfter;
