// Converts between the page's address and the filter of events. Pure.

import { addDays, isDate, startOfDate } from './days.js';
import { types } from './event-types.js';

/** The types of events that can be selected. */
export const eventTypes = Object.keys(types).filter((type) => type !== 'retracted');

/** The layouts of the view. */
export const layouts = ['timeline', 'table', 'visits', 'chart'];

/**
 * @typedef {object} EventFilter
 * @property {string|null} device A device id.
 * @property {string|null} geofence A geofence id.
 * @property {string[]} types Elements of `eventTypes`; empty for all types.
 * @property {string|null} since The first day, for example `2026-05-12`.
 * @property {string|null} until The last day, which is included.
 * @property {boolean} all Whether events that were corrected later are included.
 * @property {string} show One of `layouts`.
 */

/**
 * The filter in an address: `#/events?device=anna&type=enter,exit`, or `#/events/device/anna` and `#/events/geofence/home`.
 *
 * @param {string[]} parts The parts after `events`.
 * @param {URLSearchParams} query
 * @returns {EventFilter}
 */
export function filterOf([kind, id], query) {
  const types = (query.get('type') ?? '').split(',').filter((type) => eventTypes.includes(type));
  const date = (name) => (isDate(query.get(name)) ? query.get(name) : null);
  return {
    device: query.get('device') ?? (kind === 'device' && id ? id : null),
    geofence: query.get('geofence') ?? (kind === 'geofence' && id ? id : null),
    types: eventTypes.filter((type) => types.includes(type)),
    since: date('since'),
    until: date('until'),
    all: query.get('all') === '1',
    show: layouts.includes(query.get('show')) ? query.get('show') : 'timeline',
  };
}

const withQuery = (path, pairs) => {
  const query = new URLSearchParams(pairs.filter(([, value]) => value)).toString();
  return query ? `${path}?${query}` : path;
};

/** The address of the view with a filter. @param {Partial<EventFilter>} filter */
export const addressOf = ({ device, geofence, types = [], since, until, all, show }) => withQuery('#/events', [
  ['device', device], ['geofence', geofence], ['type', types.join(',')], ['since', since], ['until', until], ['all', all ? '1' : ''],
  ['show', show === 'timeline' ? '' : show],
]);

/**
 * The address of an explanation.
 *
 * @param {string|null} device
 * @param {string|null} geofence
 * @param {string} [at] RFC 3339; without it, the time of the device's newest position.
 */
export const whyAddress = (device, geofence, at) =>
  withQuery(`#/events/why${device && geofence ? `/${encodeURIComponent(device)}/${encodeURIComponent(geofence)}` : ''}`,
    [...(device && geofence ? [] : [['device', device], ['geofence', geofence]]), ['at', at]]);

/**
 * The address of a device's track.
 *
 * @param {string} device
 * @param {{since?: string|null, until?: string|null, at?: string}} [period] The first and the last day; `at`: the time at which to start.
 */
export const trackAddress = (device, { since, until, at } = {}) =>
  withQuery(`#/events/track/${encodeURIComponent(device)}`, [['since', since], ['until', until], ['at', at]]);

/**
 * The start and the end of a filter's days in the service's format.
 *
 * @param {{since: string|null, until: string|null}} filter
 * @param {string|undefined} zone
 */
export function periodOf({ since, until }, zone) {
  const moment = (date) => new Date(startOfDate(date, zone)).toISOString();
  return { since: since && moment(since), until: until && moment(addDays(until, 1)) };
}

/**
 * The path of a request for a filter.
 *
 * @param {'events'|'visits'|'visits/totals'} kind
 * @param {EventFilter} filter
 * @param {string|undefined} zone
 * @param {Object<string, string|number>} [more] Further parameters.
 */
export function requestPath(kind, { device, geofence, types, since, until, all }, zone, more = {}) {
  const period = periodOf({ since, until }, zone);
  // Corrected events are shown together with the retractions that corrected them.
  const wanted = all && types.length ? [...types, 'retracted'] : types;
  const ofEvents = kind === 'events' ? [['type', wanted.join(',')], ['all', all ? 'true' : '']] : [];
  return withQuery(`/v1/${kind}`, [
    ['device', device], ['geofence', geofence], ['since', period.since], ['until', period.until], ...ofEvents, ...Object.entries(more),
  ]);
}

/** Whether a filter excludes anything. @param {EventFilter} filter */
export const isNarrow = ({ device, geofence, types, since, until }) => Boolean(device || geofence || types.length || since || until);
