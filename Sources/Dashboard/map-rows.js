// Rows of the map's lists.

import { h } from './dom.js';
import { markOf } from './map-devices.js';
import { mapState } from './map-state.js';
import { since } from './parts.js';
import { t, tn } from './translate.js';

const classOf = (look) => (look === 'device' ? 'map-mark device' : `map-mark device ${look}`);

/**
 * @param {{id: string, name: string, at: number}} device
 * @param {() => void} choose
 */
export const deviceRow = (device, choose) => h('li', { 'data-key': `device ${device.id}`, 'data-device': device.id },
  h('button', { type: 'button', class: 'row map-row', onclick: choose },
    h('span', { class: classOf(markOf(device, Date.now())), 'aria-hidden': 'true' }),
    h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, device.name),
      h('span', { class: 'row-facts' }, h('span', { class: 'hidden-visually' }, t('Device')), since(new Date(device.at).toISOString())))));

/**
 * @param {object} value A geofence in the form of the service.
 * @param {() => void} choose
 */
export function geofenceRow(value, choose) {
  const count = mapState.occupants.get(value.id)?.size ?? 0;
  const facts = [value.isActive ? null : t('Inactive'), count ? tn(count, '{count} device inside', '{count} devices inside') : null].filter(Boolean).join(' · ');
  return h('li', { 'data-key': `geofence ${value.id}`, 'data-geofence': value.id },
    h('button', { type: 'button', class: 'row map-row', onclick: choose },
      h('span', { class: `map-mark fence ${!value.isActive ? 'inactive' : count ? 'occupied' : ''}`.trim(), 'aria-hidden': 'true' }),
      h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, value.name || value.id),
        facts || null ? h('span', { class: 'row-facts' }, facts) : null)));
}

/** A place that the geocoder has found. @param {{name: string}} place @param {number} index @param {() => void} choose */
export const placeRow = ({ name }, index, choose) => h('li', { 'data-key': `place ${index}` },
  h('button', { type: 'button', class: 'row map-row', onclick: choose },
    h('span', { class: 'row-main' }, h('bdi', { class: 'row-title' }, name))));

/** A mark with its meaning, for the legend of colors. */
export const legendEntry = (className, text) => h('li', {}, h('span', { class: `map-mark ${className}`, 'aria-hidden': 'true' }), text);
