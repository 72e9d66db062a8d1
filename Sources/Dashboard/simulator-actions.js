// The requests of the buttons of a simulated phone. Pure.

const set = (setting, value) => ({ action: 'set', setting, value });

/** The requests that change a setting as the location of the app needs it, by the service's name of the setting. */
export const grants = {
  authorizationStatus: { action: 'authorize', status: 'always' },
  locationServicesEnabled: { action: 'location', enabled: true },
  preciseLocation: set('precise', 'on'),
  backgroundRefresh: set('background', 'on'),
  batteryOptimized: set('battery', 'off'),
};

/** The place of a new region if the phone has no other region. */
const fallback = { latitude: 52.5163, longitude: 13.3777 };

/** The distance in degrees of a new region from another one, about 300 meters. */
const beside = 0.003;

/**
 * @typedef {object} SimulatorAction
 * @property {string} name The name of the action.
 * @property {string} [key] The key of the button, if it is not the name.
 * @property {() => object} body Returns the body of the request.
 */

/**
 * The actions for a phone.
 *
 * @param {{identifier: string, latitude: number, longitude: number}[]} regions Picket's regions that the phone holds.
 * @param {string} [chosen] The identifier of the selected region; nothing for any region.
 * @returns {{regions: SimulatorAction[], extra: SimulatorAction[], phone: SimulatorAction[], location: (isOn: boolean) => SimulatorAction, precise: (isOn: boolean) => SimulatorAction}}
 */
export function actionsFor(regions, chosen) {
  const isThere = regions.some(({ identifier }) => identifier === chosen);
  const meant = () => (isThere ? chosen : regions[Math.floor(Math.random() * regions.length)]?.identifier ?? '');
  const drop = isThere ? () => ({ action: 'drop', identifiers: [chosen] }) : () => ({ action: 'drop', count: 1 });
  const fault = (name, more = {}) => ({ name, body: () => ({ action: 'fail', fault: name, identifier: meant(), ...more }) });
  const add = (name, action, prefix) => ({ name, body: () => ({ action, identifier: newIdentifier(prefix, regions), ...placeBeside(regions), radius: 200 }) });
  const flag = (key, isOn, body) => ({ key, name: `${key}.${isOn ? 'off' : 'on'}`, body: () => body(!isOn) });
  return {
    regions: [{ name: 'drop', body: drop }, { name: 'dropThree', body: () => ({ action: 'drop', count: 3 }) },
      fault('drift', { metres: 500 }), fault('deafen'), fault('zombify')],
    extra: [add('addOrphan', 'addOrphan', 'old-'), add('addForeign', 'addForeign', 'com.example.ads/')],
    phone: [{ name: 'reboot', body: () => ({ action: 'reboot' }) }, { name: 'reinstall', body: () => ({ action: 'reinstall' }) }],
    location: (isOn) => flag('location', isOn, (enabled) => ({ action: 'location', enabled })),
    precise: (isOn) => flag('precise', isOn, (enabled) => set('precise', enabled ? 'on' : 'off')),
  };
}

/** An identifier that no region has. */
function newIdentifier(prefix, regions) {
  let count = regions.length + 1;
  while (regions.some(({ identifier }) => identifier.endsWith(`${prefix}${count}`))) count += 1;
  return `${prefix}${count}`;
}

function placeBeside([first = fallback]) {
  return { latitude: Math.min(90, first.latitude + beside), longitude: first.longitude };
}
