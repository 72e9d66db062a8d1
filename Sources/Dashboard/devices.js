// The devices by id, for their names and what they are.

import { resource } from './state.js';

export const devicesPath = '/v1/devices?limit=1000';

/**
 * @param {string} id
 * @returns {{id: string, name: string, registry?: string, platform?: string, autoRepair?: boolean}} With the id as its name while it is not known.
 */
export function deviceOf(id) {
  const found = resource(devicesPath).data?.devices.find((device) => device.id === id);
  return { ...found, id, name: found?.name || id };
}
