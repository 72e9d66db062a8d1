// How long devices were seen in geofences, as bars for each day and as a table.

import { request } from './api.js';
import { stackedBars } from './bars.js';
import { addDays, dateOf, daysBetween } from './days.js';
import { deviceOf } from './devices.js';
import { h } from './dom.js';
import { requestPath } from './events-address.js';
import { table } from './events-timeline.js';
import { formatDate, formatDuration, formatNumber } from './format.js';
import { loaded } from './loaded.js';
import { empty } from './parts.js';
import { phrase } from './phrase.js';
import { style } from './preferences.js';
import { atMost, axisOf, presenceByDay } from './presence-time.js';
import { resource } from './state.js';
import { t, tn } from './translate.js';

/** The default number of days, and the minimum and maximum number of days shown. */
const usualDays = 14;
const fewestDays = 7;
const mostDays = 31;
const mostSeries = 8;

/** Milliseconds for which the totals of a past day are not requested again. */
const trusted = 5 * 60_000;
/** @type {Map<string, {at: number, totals: object[]}>} The totals by path. */
const known = new Map();

/** @param {import('./events-address.js').EventFilter} filter */
export function view(filter) {
  const path = requestPath('visits/totals', filter, style().timeZone, { by: 'day' });
  return loaded(path, resource(path, () => loadDays(filter)), (data) => chart(filter, data));
}

/** The days to show, and the totals of each. */
async function loadDays(filter) {
  const zone = style().timeZone;
  const last = filter.until ?? await newestDate(filter, zone);
  const wanted = filter.since ?? addDays(last, 1 - usualDays);
  const first = [wanted, addDays(last, 1 - mostDays)].sort()[1];
  const days = daysBetween(first, last, zone);
  const totals = await Promise.all(days.map((day) => totalsOf(day, filter)));
  // Without a chosen first day, days without data at the beginning are left out, except for the last week.
  const empty = filter.since ? 0 : totals.findIndex((ofDay) => ofDay.length);
  const from = Math.max(0, Math.min(empty, days.length - fewestDays));
  return { days: days.slice(from), isCut: first !== wanted, totals: totals.slice(from) };
}

/** The newest date at which a device was seen in a geofence; today if there is none. */
async function newestDate(filter, zone) {
  const wanted = { ...filter, since: null, until: null };
  const answers = await Promise.all([
    request('GET', requestPath('visits', wanted, zone, { order: 'newest', limit: 1 })),
    request('GET', requestPath('visits', wanted, zone, { order: 'newest', open: true, limit: 200 })),
  ]);
  const moments = answers.flatMap(({ visits }) => visits.map((visit) => visit.exitedAt ?? visit.lastSeenAt ?? visit.enteredAt)).sort();
  return dateOf(moments.length ? Date.parse(moments.at(-1)) : Date.now(), zone);
}

async function totalsOf({ begins, ends }, { device, geofence }) {
  const query = new URLSearchParams({ since: new Date(begins).toISOString(), until: new Date(ends).toISOString(), limit: '10000' });
  if (device) query.set('device', device);
  if (geofence) query.set('geofence', geofence);
  const path = `/v1/visits/totals?${query}`;
  const kept = known.get(path);
  if (kept && ends < kept.at && Date.now() - kept.at < trusted) return kept.totals;
  const totals = [];
  let next = null;
  do {
    const page = await request('GET', next === null ? path : `${path}&after=${encodeURIComponent(next)}`);
    totals.push(...page.totals);
    next = page.next ?? null;
  } while (next !== null);
  if (known.size > 200) known.clear();
  known.set(path, { at: Date.now(), totals });
  return totals;
}

function chart(filter, { days, totals, isCut }) {
  const all = presenceByDay(totals);
  const series = atMost(all, mostSeries);
  const caption = filter.device
    ? phrase('Hours of {device}, by day', { device: h('bdi', {}, deviceOf(filter.device).name) })
    : t('Hours of all devices together, by day');
  return h('section', { class: 'chart', id: 'chart', 'data-key': 'chart', 'aria-labelledby': 'chart-title' },
    h('h2', { id: 'chart-title' }, t('Time in geofences')),
    h('p', { class: 'quiet' }, caption),
    series.length ? [bars(days, series), legend(series)] : empty(t('No device was seen in a geofence in these days.')),
    h('p', { class: 'footer' }, [
      t('Only the time during which a device was seen counts. Time without positions does not.'),
      isCut ? t('At most {count} days are shown. Choose a first and a last day to see others.', { count: mostDays }) : null,
    ].filter(Boolean).join(' ')),
    series.length ? h('details', { class: 'card', 'data-key': 'chart-table' }, h('summary', {}, t('Show as a table')), daysTable(days, all)) : null);
}

const nameOf = (series) => (series.count ? tn(series.count, '{count} other', '{count} others') : series.name);
const classOf = (place, series) => (series.count ? 'series-others' : `series-${place + 1}`);
const shortDay = (date) => formatDate(date, style(), { day: 'numeric', month: 'short' });

function bars(days, series) {
  const highest = Math.max(...days.map((_, day) => series.reduce((sum, one) => sum + one.seconds[day], 0))) / 3600;
  const marks = axisOf(highest);
  const drawn = series.map((one, place) => ({
    values: one.seconds.map((seconds) => seconds / 3600), className: classOf(place, one),
    titles: one.seconds.map((seconds, day) => t('{geofence}, {day}: {time}', { geofence: nameOf(one), day: shortDay(days[day].date), time: formatDuration(seconds, style()) })),
  }));
  // With many days, only every n-th label is shown, and on a narrow page every other one of these.
  const every = Math.ceil(days.length / 8);
  const label = (date, back) => (back % every ? '' : h('span', { class: (back / every) % 2 ? 'minor' : null }, shortDay(date)));
  return h('div', { class: 'chart-frame card' },
    h('ol', { class: 'chart-hours', 'aria-hidden': 'true' }, [...marks].reverse().map((hours) =>
      h('li', {}, t('{hours} h', { hours: formatNumber(hours, style()) })))),
    stackedBars(drawn, days.length, marks.at(-1), t('Time in geofences')),
    h('ol', { class: 'chart-days', 'aria-hidden': 'true' }, days.map(({ date }, place) => h('li', {}, label(date, days.length - 1 - place)))));
}

const legend = (series) => h('ul', { class: 'legend' }, series.map((one, place) => h('li', {},
  h('span', { class: `swatch ${classOf(place, one)}` }), h('bdi', {}, nameOf(one)), h('span', { class: 'quiet' }, formatDuration(one.total, style())))));

/** The table has all geofences, including those that the bars combine. */
function daysTable(days, series) {
  const write = (seconds) => (seconds > 0 ? formatDuration(seconds, style()) : '–');
  const rows = days.map(({ date }, day) => h('tr', { 'data-key': date },
    h('th', { scope: 'row' }, h('time', { datetime: date }, shortDay(date))),
    series.map((one) => h('td', { class: 'number', 'data-key': one.id, 'data-seconds': Math.round(one.seconds[day]) }, write(one.seconds[day])))));
  const totals = h('tr', { 'data-key': 'total' }, h('th', { scope: 'row' }, t('Total')), series.map((one) => h('td', { class: 'number' }, write(one.total))));
  return table('presence-table', t('Time in geofences'), [t('Day'), ...series.map((one) => one.name)], [...rows, totals]);
}
