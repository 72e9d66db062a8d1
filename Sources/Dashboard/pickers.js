// The fields for choosing a device and a geofence.

import { request, RequestFailed } from './api.js';
import { deviceOf, devicesPath } from './devices.js';
import { picker } from './picker.js';
import { resource } from './state.js';
import { t } from './translate.js';

const mostChoices = 20;

/** The known names of geofences by id. @type {Map<string, string>} */
const geofenceNames = new Map();

/** The name of a geofence; its id until the name is known. @param {string} id */
export function geofenceName(id) {
  const known = geofenceNames.get(id);
  if (known) return known;
  const path = `/v1/geofences/${encodeURIComponent(id)}`;
  return resource(path).data?.name ?? id;
}

/** @param {string} id @param {string|null} device @param {(id: string) => void} onPick */
export function devicePicker(id, device, onPick) {
  // The list is loaded here, because typing searches it.
  resource(devicesPath);
  return picker({
    id, label: t('Device'), value: device ? { id: device, name: deviceOf(device).name } : null, search: searchDevices,
    onPick: (choice) => onPick(choice.id),
  });
}

/** @param {string} id @param {string|null} geofence @param {(id: string) => void} onPick */
export const geofencePicker = (id, geofence, onPick) => picker({
  id, label: t('Geofence'), value: geofence ? { id: geofence, name: geofenceName(geofence) } : null, search: searchGeofences,
  onPick: (choice) => onPick(choice.id),
});

async function searchDevices(text) {
  const wanted = text.toLocaleLowerCase();
  const { devices = [], next } = resource(devicesPath).data ?? {};
  const matches = ({ id, name }) => id.toLocaleLowerCase().includes(wanted) || (name ?? '').toLocaleLowerCase().includes(wanted);
  const found = devices.filter(matches).slice(0, mostChoices);
  // If there are more devices than the page has loaded, a device can still be found by its exact id.
  if (text && found.length === 0 && next) found.push(...await asked(`/v1/devices/${encodeURIComponent(text)}`, (device) => [device]));
  return found.map(({ id, name }) => ({ id, name: name || id }));
}

async function searchGeofences(text) {
  const path = `/v1/geofences?limit=${mostChoices}${text ? `&matching=${encodeURIComponent(text)}` : ''}`;
  const found = await asked(path, ({ geofences }) => geofences);
  for (const { id, name } of found) geofenceNames.set(id, name);
  return found.map(({ id, name }) => ({ id, name }));
}

/** Objects from the service; none if the request fails, which the page shows elsewhere. */
async function asked(path, itemsOf) {
  try {
    return itemsOf(await request('GET', path));
  } catch (failure) {
    if (failure instanceof RequestFailed) return [];
    throw failure;
  }
}
