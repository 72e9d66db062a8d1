// Events, newest first, grouped by day or as a table. New events appear at the top. While the person is scrolled down, a button shows how
// many there are instead.

import { dateOf } from './days.js';
import { h, icon } from './dom.js';
import { accuracyOf, causeOf, clockOf, deviceNameOf, durationOf, factsOf, inferenceOf, lookOf, sentenceOf, typeName } from './event-words.js';
import { trackAddress, whyAddress } from './events-address.js';
import { formatDate, formatTime } from './format.js';
import { style } from './preferences.js';
import { announce } from './shell.js';
import { changed } from './state.js';
import { t, tn } from './translate.js';

/** Pixels from the top within which new events are shown immediately. */
const nearTop = 160;

/** The events of a list that the person has seen: their ids, and those that arrived last. */
const reading = { path: '', known: new Set(), fresh: new Set() };

/**
 * The events that are shown now, and the number of those that wait because the person is scrolled down.
 *
 * @param {string} path The path of the list.
 * @param {object[]} events Newest first.
 */
export function shownOf(path, events) {
  const oldest = events.findLastIndex((event) => reading.known.has(event.id));
  if (reading.path !== path || oldest < 0) Object.assign(reading, { path, known: new Set(events.map((event) => event.id)), fresh: new Set() });
  // Older events were requested by the person, so all of them are shown.
  for (const event of events.slice(oldest + 1)) reading.known.add(event.id);
  const news = events.filter((event) => !reading.known.has(event.id));
  if (news.length === 0) return { events, waiting: 0 };
  if (scrollY > nearTop) return { events: events.filter((event) => reading.known.has(event.id)), waiting: news.length };
  reading.fresh = new Set(news.map((event) => event.id));
  for (const { id } of news) reading.known.add(id);
  announce(tn(news.length, '{count} new event', '{count} new events'));
  return { events, waiting: 0 };
}

/** Redraws when the person scrolls back to the top, where new events are shown. */
export const followScrolling = () => addEventListener('scroll', scrolled, { passive: true });
export const leaveScrolling = () => removeEventListener('scroll', scrolled);
function scrolled() {
  if (scrollY <= nearTop && document.getElementById('new-events')) changed();
}

/** The button with the number of new events. @param {number} count */
export function newEvents(count) {
  return count === 0 ? null : h('p', { class: 'new-events', 'data-key': 'new-events' },
    h('button', { type: 'button', class: 'button primary', id: 'new-events', onclick: showNew }, tn(count, '{count} new event', '{count} new events')));
}

function showNew() {
  scrollTo(0, 0);
  changed();
  document.getElementById('view-title')?.focus({ preventScroll: true });
}

/** The retracted events with the times of their retractions. @param {object[]} events @returns {Map<string, string>} */
const corrections = (events) => new Map(events.filter((event) => event.retracts).map((event) => [event.retracts, event.recordedAt]));

/** @param {object[]} events Newest first. */
export function timeline(events) {
  const zone = style().timeZone;
  const corrected = corrections(events);
  const days = Map.groupBy(events.filter((event) => event.type !== 'retracted'), (event) => dateOf(Date.parse(event.occurredAt), zone));
  return h('div', { class: 'timeline', id: 'timeline', 'data-key': 'timeline' }, [...days].map(([date, ofDay]) =>
    h('section', { 'data-key': date, 'aria-labelledby': `day-${date}` },
      h('h2', { id: `day-${date}`, class: 'day' }, h('time', { datetime: date }, formatDate(date, style()))),
      h('ol', { class: 'list' }, ofDay.map((event) => entry(event, corrected.get(event.id)))))));
}

function entry(event, correctedAt) {
  const [iconName, tone] = lookOf(event);
  const sentence = sentenceOf(event);
  const facts = factsOf(event);
  const classes = ['event', correctedAt ? 'corrected' : '', reading.fresh.has(event.id) ? 'fresh' : ''].filter(Boolean).join(' ');
  return h('li', { class: classes, 'data-key': event.id, 'data-type': event.type },
    h('span', { class: 'event-time' }, clockOf(event)),
    h('span', { class: `event-icon ${tone}` }, icon(iconName)),
    h('div', { class: 'event-main' },
      h('p', { class: 'event-title' }, correctedAt ? h('s', {}, sentence) : sentence),
      facts.length ? h('p', { class: 'quiet event-facts' }, facts.join(' · ')) : null,
      correctedAt ? h('p', { class: 'warning-text event-facts' },
        t('Retracted on {time}: a replay of the positions showed that it was wrong.', { time: formatTime(correctedAt, style()) })) : null),
    links(event));
}

/** A link to an explanation. @param {string} href @param {string} about What it explains, for screen readers. */
export const whyLink = (href, about) => h('a', { href, 'data-key': 'why', 'aria-label': t('Why? {text}', { text: about }) }, t('Why?'));

/** A link to a track. @param {string} href @param {string} about What is on the track, for screen readers. */
export const trackLink = (href, about) => h('a', { href, 'data-key': 'track', 'aria-label': t('Track: {text}', { text: about }) }, t('Track'));

/** The links of an event to its explanation and to the track. @param {object} event */
export function links(event) {
  const about = `${typeName(event.type)}, ${deviceNameOf(event)}, ${formatTime(event.occurredAt, style())}`;
  const day = dateOf(Date.parse(event.occurredAt), style().timeZone);
  return h('span', { class: 'event-links' },
    event.geofenceId ? whyLink(whyAddress(event.deviceId, event.geofenceId, event.occurredAt), about) : null,
    event.fix ? trackLink(trackAddress(event.deviceId, { since: day, until: day, at: event.occurredAt }), about) : null);
}

const howOf = (event) => [causeOf(event), inferenceOf(event)].filter(Boolean).join(' · ');

/** The events as a table. @param {object[]} events The newest first. */
export function eventTable(events) {
  const corrected = corrections(events);
  // The column is omitted if no event has a remark.
  const hasCauses = events.some((event) => howOf(event));
  const columns = [
    t('Time'), t('Device'), t('Event'), t('Geofence'), t('How long'), ...(hasCauses ? [t('How')] : []), t('Position'), '',
  ];
  return table('event-table', t('Events, newest first'), columns,
    events.filter((event) => event.type !== 'retracted').map((event) => {
      const isCorrected = corrected.has(event.id);
      const type = typeName(event.type);
      return h('tr', { 'data-key': event.id, 'data-type': event.type, class: isCorrected ? 'corrected' : null },
        h('td', {}, h('time', { datetime: event.occurredAt }, formatTime(event.occurredAt, style()))),
        h('th', { scope: 'row' }, h('bdi', {}, deviceNameOf(event))),
        h('td', {}, isCorrected ? [h('s', {}, type), ' ', h('span', { class: 'warning-text' }, t('Retracted'))] : type),
        h('td', {}, h('bdi', {}, event.geofenceName ?? event.geofenceId ?? '')),
        h('td', { class: 'number' }, durationOf(event) ?? ''),
        hasCauses ? h('td', { class: 'words' }, howOf(event)) : null,
        h('td', { class: 'number' }, accuracyOf(event) ?? ''),
        h('td', {}, links(event)));
    }));
}

/**
 * A table that can be scrolled horizontally on a narrow page.
 *
 * @param {string} id
 * @param {string} caption
 * @param {string[]} columns
 * @param {any[]} rows
 */
export const table = (id, caption, columns, rows) =>
  h('div', { class: 'table-frame', 'data-key': id, tabindex: '0', role: 'group', 'aria-label': caption },
    h('table', { id, class: 'data-table' },
      h('caption', { class: 'hidden-visually' }, caption),
      h('thead', {}, h('tr', {}, columns.map((name) => (name ? h('th', { scope: 'col' }, name) : h('td', {}))))),
      h('tbody', {}, rows)));
