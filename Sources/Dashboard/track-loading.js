// Loads a device's track and its events in pages, so that the first page is shown immediately.

import { request } from './api.js';
import { Track, usualLimits } from './track.js';

const partLength = 5000;

/**
 * @typedef {object} LoadedTrack
 * @property {Track} track
 * @property {object[]} events Sorted by the time at which they happened.
 */

/**
 * @param {string} device
 * @param {{since: string|null, until: string|null}} period RFC 3339 times; null for no limit.
 * @param {LoadedTrack|null} before The data already loaded for the same period. Only the following positions are requested.
 * @param {(loaded: LoadedTrack) => void} onPart
 * @returns {Promise<LoadedTrack>}
 */
export async function loadTrack(device, period, before, onPart) {
  const track = before?.track ?? new Track(limitsOf(await request('GET', `/v1/devices/${encodeURIComponent(device)}`)));
  const events = await loadEvents(device, period);
  const loaded = { track, events };
  const query = new URLSearchParams({ limit: partLength });
  if (track.count) query.set('since', new Date(track.ends + 1).toISOString());
  else if (period.since) query.set('since', period.since);
  if (period.until) query.set('until', period.until);
  // The loaded positions already reach the end of the period.
  if (track.count && period.until && track.ends + 1 >= Date.parse(period.until)) return loaded;
  let next = null;
  do {
    if (next !== null) query.set('after', next);
    const part = await request('GET', `/v1/devices/${encodeURIComponent(device)}/track?${query}`);
    track.append(part.fixes);
    next = part.next ?? null;
    onPart(loaded);
  } while (next !== null);
  return loaded;
}

async function loadEvents(device, { since, until }) {
  const query = new URLSearchParams({ device, order: 'newest', limit: '10000' });
  if (since) query.set('since', since);
  if (until) query.set('until', until);
  const events = [];
  let earlier = null;
  do {
    if (earlier !== null) query.set('before', earlier);
    const part = await request('GET', `/v1/events?${query}`);
    events.push(...part.events);
    earlier = part.earlier ?? null;
  } while (earlier !== null);
  return events.reverse();
}

/** The limits in a device's policy that define an outlier and a coarse position. */
function limitsOf({ policy }) {
  const number = (name) => (typeof policy?.[name] === 'number' ? policy[name] : usualLimits[name]);
  return policy === 'exact' ? { maxSpeed: Infinity, maxAccuracy: Infinity } : { maxSpeed: number('maxSpeed'), maxAccuracy: number('maxAccuracy') };
}
