// The fields in which a device and a geofence are found.

import { request, RequestFailed } from './api.js';
import { deviceOf, devicesPath } from './devices.js';
import { picker } from './picker.js';
import { resource } from './state.js';
import { t } from './translate.js';

const mostChoices = 20;

/** The names of geofences by id, as far as they are known. @type {Map<string, string>} */
const geofenceNames = new Map();

/** The name of a geofence; its id while it is not known. @param {string} id */
export function geofenceName(id) {
  const known = geofenceNames.get(id);
  if (known) return known;
  const path = `/v1/geofences/${encodeURIComponent(id)}`;
  return resource(path).data?.name ?? id;
}

/** @param {string} id @param {string|null} device @param {(id: string) => void} onPick */
export function devicePicker(id, device, onPick) {
  // Searched when a person types.
  resource(devicesPath);
  return picker({
    id, label: t('events.device'), value: device ? { id: device, name: deviceOf(device).name } : null, search: searchDevices,
    onPick: (choice) => onPick(choice.id),
  });
}

/** @param {string} id @param {string|null} geofence @param {(id: string) => void} onPick */
export const geofencePicker = (id, geofence, onPick) => picker({
  id, label: t('events.geofence'), value: geofence ? { id: geofence, name: geofenceName(geofence) } : null, search: searchGeofences,
  onPick: (choice) => onPick(choice.id),
});

async function searchDevices(text) {
  const wanted = text.toLocaleLowerCase();
  const all = resource(devicesPath).data?.devices ?? [];
  const matches = ({ id, name }) => id.toLocaleLowerCase().includes(wanted) || (name ?? '').toLocaleLowerCase().includes(wanted);
  return all.filter(matches).slice(0, mostChoices).map(({ id, name }) => ({ id, name: name || id }));
}

async function searchGeofences(text) {
  try {
    const { geofences } = await request('GET', `/v1/geofences?limit=${mostChoices}${text ? `&matching=${encodeURIComponent(text)}` : ''}`);
    for (const { id, name } of geofences) geofenceNames.set(id, name);
    return geofences.map(({ id, name }) => ({ id, name }));
  } catch (failure) {
    // The page says by itself that the service is not reached.
    if (failure instanceof RequestFailed) return [];
    throw failure;
  }
}
