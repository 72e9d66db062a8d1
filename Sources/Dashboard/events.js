// Past events as a timeline or a table, visits, and the time per geofence and day. Subviews show the track of a device and the explanation
// of an event.

import { serviceURL } from './api.js';
import { h, icon } from './dom.js';
import { earlierKey, listOf, listPath, loadEarlier } from './event-lists.js';
import { addressOf, filterOf, isNarrow, layouts, periodOf, requestPath, whyAddress } from './events-address.js';
import * as chart from './events-chart.js';
import { chips, filterPanel } from './events-filter.js';
import { eventTable, followScrolling, leaveScrolling, newEvents, shownOf, timeline } from './events-timeline.js';
import { visitTable } from './events-visits.js';
import { lazyViews } from './lazy-views.js';
import { loaded } from './loaded.js';
import { button, empty, heading } from './parts.js';
import { style } from './preferences.js';
import { operationProblem } from './problem-card.js';
import { app, operation } from './state.js';
import { t, text } from './translate.js';

/** The subviews, loaded when they are first shown. */
const belowOf = lazyViews({ track: () => import('./track-player.js'), why: () => import('./why.js') });
/** The current subview; null while events are shown. */
let below = null;

export const title = ([name, ...parts]) => belowOf(name)?.title(parts) ?? t('Events');

/** @param {string[]} parts */
export function view(parts) {
  const [name, ...rest] = parts;
  const next = belowOf(name) ?? null;
  if (next !== below) {
    below?.left?.();
    below = next;
  }
  return next ? next.view(rest) : overview(filterOf(parts, app.query));
}

/** @param {string[]} parts */
export function shown([, ...rest]) {
  if (below) below.shown?.(rest);
  else followScrolling();
}

export function left() {
  below?.left?.();
  below = null;
  leaveScrolling();
}

function overview(filter) {
  return [
    heading(t('Events'), tabs(filter)),
    h('div', { class: 'events-bar', 'data-key': 'bar' }, filterPanel(filter), chips(filter)),
    content(filter),
  ];
}

const layoutNames = { timeline: text('Timeline'), table: text('Table'), visits: text('Visits'), chart: text('Time per day') };

const tabs = (filter) => h('nav', { class: 'tabs', 'aria-label': t('Show as') }, layouts.map((show) =>
  h('a', { href: addressOf({ ...filter, show }), 'data-key': show, 'aria-current': show === filter.show ? 'page' : null }, t(layoutNames[show]))));

function content(filter) {
  if (filter.show === 'chart') return chart.view(filter);
  const kind = filter.show === 'visits' ? 'visits' : 'events';
  const path = listPath(kind, filter);
  const list = listOf(kind, filter);
  return loaded(path, list, ({ items, earlier }) => {
    if (items.length === 0) return nothing(filter, kind);
    const { events, waiting: count } = kind === 'events' ? shownOf(path, items) : { events: items, waiting: 0 };
    return [
      newEvents(count),
      kind === 'visits' ? visitTable(events) : filter.show === 'table' ? eventTable(events) : timeline(events),
      operationProblem(earlierKey(path), () => loadEarlier(kind, filter)),
      h('div', { class: 'events-foot', 'data-key': 'foot' },
        earlier ? button(t('Show Earlier'), () => loadEarlier(kind, filter), { id: 'earlier', isRunning: operation(earlierKey(path)).isRunning }) : null,
        filter.device && filter.geofence ? h('a', { 'data-key': 'why', href: whyAddress(filter.device, filter.geofence) }, t('Why no events?')) : null,
        downloads(kind, filter)),
    ];
  });
}

/** Links to download everything that the filter selects. */
const downloads = (kind, filter) => h('p', { class: 'downloads', 'data-key': 'downloads' }, icon('download'), t('Download'),
  Object.entries({ csv: 'CSV', geojson: 'GeoJSON' }).map(([format, name]) =>
  h('a', { id: `download-${format}`, 'data-key': format, href: serviceURL(requestPath(kind, filter, style().timeZone, { format })), download: `${kind}.${format}` }, name)));

function nothing(filter, kind) {
  const { device, geofence } = filter;
  return h('div', { class: 'empty', 'data-key': 'nothing', id: 'no-events' },
    h('p', {}, !isNarrow(filter) ? t('No events yet. Events appear here as soon as a device enters or leaves a geofence.')
      : kind === 'visits' ? t('No visit matches.') : t('No events match this filter.')),
    device && geofence
      ? h('p', {}, h('a', { id: 'why-nothing', href: whyAddress(device, geofence, periodOf(filter, style().timeZone).until ?? undefined) }, t('Why no events?')))
      : null);
}
