// The names and properties of devices by id.

import { resource } from './state.js';

export const devicesPath = '/v1/devices?limit=1000';

/**
 * @param {string} id
 * @returns {{id: string, name: string, registry?: string, platform?: string, autoRepair?: boolean}} If the device is not loaded yet, its id
 *     is used as the name.
 */
export function deviceOf(id) {
  const found = resource(devicesPath).data?.devices.find((device) => device.id === id);
  return { ...found, id, name: found?.name || id };
}

/** Whether the service knows the device. @param {string} id */
export const isKnown = (id) => resource(devicesPath).data?.devices.some((device) => device.id === id) ?? false;
