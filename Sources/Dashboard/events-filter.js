// The filter of events and visits: its fields, and the active filters as removable chips. The filter is stored in the address.

import { deviceOf } from './devices.js';
import { h, icon } from './dom.js';
import { typeName } from './event-words.js';
import { addressOf, eventTypes, isNarrow } from './events-address.js';
import { formatDate } from './format.js';
import { devicePicker, geofenceName, geofencePicker } from './pickers.js';
import { style } from './preferences.js';
import { t } from './translate.js';

/** @typedef {import('./events-address.js').EventFilter} EventFilter */

/** Navigates to a filter. The browser's back button returns to the previous one. @param {EventFilter} filter */
export const goTo = (filter) => { location.hash = addressOf(filter); };

/** The fields, hidden until the person opens them. @param {EventFilter} filter */
export function filterPanel(filter) {
  const change = (part) => goTo({ ...filter, ...part });
  const isOfEvents = filter.show === 'timeline' || filter.show === 'table';
  return h('details', { class: 'card events-filter', id: 'events-filter', 'data-key': 'filter' },
    h('summary', {}, icon('filter'), t('Filter')),
    h('div', { class: 'filter-fields' },
      devicePicker('filter-device', filter.device, (device) => change({ device })),
      geofencePicker('filter-geofence', filter.geofence, (geofence) => change({ geofence })),
      dateField('since', t('From'), filter, change),
      dateField('until', t('To'), filter, change)),
    isOfEvents ? h('fieldset', { class: 'filter-types' },
      h('legend', {}, t('Event')),
      h('div', { class: 'choices' }, eventTypes.map((type) => h('label', { class: 'choice' },
        checkbox(`filter-type-${type}`, filter.types.includes(type), (isChosen) => change({
          types: eventTypes.filter((other) => (other === type ? isChosen : filter.types.includes(other))),
        })), typeName(type))))) : null,
    isOfEvents ? h('p', { class: 'filter-all' }, h('label', { class: 'choice' },
      checkbox('filter-all', filter.all, (all) => change({ all })), t('Include retracted events'))) : null);
}

function checkbox(id, isChosen, onChange) {
  // An update changes only attributes, but a click has set the property, so it is set to the value in the address.
  queueMicrotask(() => {
    const input = document.getElementById(id);
    if (input) input.checked = isChosen;
  });
  return h('input', { id, type: 'checkbox', checked: isChosen, onchange: (event) => onChange(event.target.checked) });
}

function dateField(name, label, filter, change) {
  const id = `filter-${name}`;
  queueMicrotask(() => {
    const input = document.getElementById(id);
    if (input && document.activeElement !== input) input.value = filter[name] ?? '';
  });
  return h('div', { class: 'field' }, h('label', { for: id }, label),
    h('input', {
      id, type: 'date', value: filter[name], max: name === 'since' ? filter.until : null, min: name === 'until' ? filter.since : null,
      onchange: (event) => change({ [name]: event.target.value || null }),
    }));
}

/** The active filters, each with a button to remove it. @param {EventFilter} filter */
export function chips(filter) {
  if (!isNarrow(filter) && !filter.all) return null;
  const date = (text) => formatDate(text, style(), { day: 'numeric', month: 'short', year: 'numeric' });
  const found = [
    filter.device && ['device', deviceOf(filter.device).name, { device: null }],
    filter.geofence && ['geofence', geofenceName(filter.geofence), { geofence: null }],
    ...filter.types.map((type) => [type, typeName(type), { types: filter.types.filter((other) => other !== type) }]),
    filter.since && ['since', t('From {date}', { date: date(filter.since) }), { since: null }],
    filter.until && ['until', t('To {date}', { date: date(filter.until) }), { until: null }],
    filter.all && ['all', t('Include retracted events'), { all: false }],
  ].filter(Boolean);
  return h('div', { class: 'chips', id: 'chips', 'data-key': 'chips', role: 'group', 'aria-label': t('Showing only') },
    found.map(([key, text, without]) => h('button', {
      type: 'button', class: 'chip', 'data-key': key, 'aria-label': t('Remove filter: {text}', { text }),
      onclick: () => goTo({ ...filter, ...without }),
    }, h('bdi', {}, text), icon('xmark'))),
    found.length > 1 ? h('button', {
      type: 'button', class: 'chip clear', 'data-key': 'clear', onclick: () => goTo({ ...cleared, show: filter.show }),
    }, t('Clear All')) : null);
}

/** @type {EventFilter} */
const cleared = { device: null, geofence: null, types: [], since: null, until: null, all: false, show: 'timeline' };
