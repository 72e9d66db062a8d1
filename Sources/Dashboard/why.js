// Explains what a device's positions meant for a geofence around a moment, whether or not something happened: the answer as text, the
// positions on a map, and each step of the decision.

import { localTime, momentOf } from './days.js';
import { deviceOf } from './devices.js';
import { h } from './dom.js';
import { sentenceOf } from './event-words.js';
import { addressOf, trackAddress, whyAddress } from './events-address.js';
import { formatDuration, formatLength, formatTime } from './format.js';
import { loaded } from './loaded.js';
import { button, heading, section } from './parts.js';
import { phrase } from './phrase.js';
import { devicePicker, geofenceName, geofencePicker } from './pickers.js';
import { style } from './preferences.js';
import { app, changed, resource } from './state.js';
import { t, text } from './translate.js';
import { answerOf } from './why-answer.js';
import { whyMap } from './why-map.js';
import { ruleText, stepTable } from './why-steps.js';

/** The numbers of positions before and after the moment: at first, and when the person requests more. */
const widths = [5, 25, 100];

/** The current question, and the selected step of the answer. */
const asked = { key: '', path: '', width: 0, step: -1, drawn: null };
/** @type {ReturnType<typeof whyMap>|null} */
let map = null;

export const title = () => t('Why?');

/** @param {string[]} parts The device's id and the geofence's id. */
export function view([device = app.query.get('device'), geofence = app.query.get('geofence')]) {
  const at = app.query.get('at');
  const key = JSON.stringify([device, geofence, at]);
  if (asked.key !== key) Object.assign(asked, { key, width: 0, step: -1, drawn: null });
  const isComplete = Boolean(device && geofence);
  return [
    h('p', { class: 'back' }, h('a', { href: addressOf({ device, geofence }) }, t('Events'))),
    heading(t('Why?')),
    isComplete ? answer(device, geofence, at) : form(device, geofence, at),
    isComplete ? h('details', { class: 'card', id: 'why-other', 'data-key': 'other' },
      h('summary', {}, t('Choose another time')), form(device, geofence, at)) : null,
  ];
}

/** The map exists only while its element is on the page. */
export function shown() {
  const place = document.getElementById('why-map');
  if (!place) return left();
  map ??= whyMap(place, { label: t('Map of the positions and the geofence'), onSelect: select });
  const { data } = resource(asked.path);
  if (!data) return;
  const isNew = asked.drawn !== data;
  const geofence = resource(geofencePath(data.geofenceId)).data;
  const margin = data.policy.exitMargin?.value;
  map.show({ geofence, steps: data.steps, margin: typeof margin === 'number' ? margin : 0, selected: asked.step }, isNew);
  // The whole geofence can be shown only after its outline is loaded.
  if (geofence || resource(geofencePath(data.geofenceId)).problem) asked.drawn = data;
}

export function left() {
  map?.destroy();
  map = null;
}

const geofencePath = (id) => `/v1/geofences/${encodeURIComponent(id)}`;

function select(step) {
  asked.step = step;
  changed();
  setTimeout(() => document.querySelector('#why-steps [aria-current=true]')?.scrollIntoView({ block: 'nearest' }));
}

// MARK: The question

function form(device, geofence, at) {
  const zone = style().timeZone;
  const go = (part) => { location.hash = whyAddress(part.device ?? device, part.geofence ?? geofence, part.at ?? at ?? undefined); };
  return h('form', { class: 'why-form', id: 'why-form', 'data-key': 'form', onsubmit: (event) => event.preventDefault() },
    device && geofence ? null : h('p', { class: 'quiet' }, t('Choose a device and a geofence to see why something happened, or why it did not.')),
    h('div', { class: 'filter-fields' },
      devicePicker('why-device', device, (id) => go({ device: id })),
      geofencePicker('why-geofence', geofence, (id) => go({ geofence: id })),
      h('div', { class: 'field' }, h('label', { for: 'why-at' }, t('Date and time'), ' ', h('span', { class: 'hint' }, t('(optional)'))),
        h('input', {
          id: 'why-at', type: 'datetime-local', step: '1', value: at ? localTime(Date.parse(at), zone) : '',
          onchange: (event) => {
            const moment = momentOf(event.target.value, zone);
            if (!Number.isNaN(moment)) go({ at: new Date(moment).toISOString() });
          },
        }))));
}

// MARK: The answer

function answer(device, geofence, at) {
  const query = new URLSearchParams({ device, geofence, around: widths[asked.width] });
  if (at) query.set('at', at);
  asked.path = `/v1/explain?${query}`;
  const path = asked.path;
  return loaded(path, resource(path), (data) => {
    // The map needs the geofence.
    resource(geofencePath(data.geofenceId));
    const found = answerOf(data);
    if (asked.step < 0) asked.step = found.step;
    return [
      said(data, found),
      h('div', { class: 'why-stage', 'data-key': 'stage' },
        h('div', { id: 'why-map', class: 'small-map', 'data-key': 'map', 'data-own-content': true }),
        legend()),
      section('why-list', t('Step by step'), [
        stepTable(data, asked.step, select),
        asked.width + 1 < widths.length && data.steps.length ? h('p', {},
          button(t('Show More Positions'), () => { asked.width += 1; asked.step = -1; changed(); }, { id: 'why-more' })) : null,
      ]),
      policy(data),
    ];
  });
}

/** The answer if there was no event. */
const answers = {
  inside: text('{device} was in {geofence}'),
  outside: text('{device} was not in {geofence}'),
  unknown: text('It is not known whether {device} was in {geofence}'),
};

function said(data, { kind, event, step }) {
  const device = h('bdi', { class: 'name' }, deviceOf(data.deviceId).name);
  const geofence = h('bdi', { class: 'name' }, data.geofenceName ?? geofenceName(data.geofenceId));
  const decisive = data.steps[step];
  const time = (moment) => h('time', { datetime: moment }, formatTime(moment, style()));
  const moment = event?.occurredAt ?? data.at;
  return h('div', { class: 'card why-answer', id: 'why-answer', 'data-key': 'answer', 'data-kind': kind, role: 'status' },
    h('p', { class: 'why-said' }, event ? sentenceOf({ ...event, geofenceName: data.geofenceName }) : phrase(answers[kind] ?? kind, { device, geofence })),
    moment ? h('p', { class: 'quiet' }, time(moment), event && Date.parse(event.confirmedAt) > Date.parse(event.occurredAt)
      ? ` · ${t('confirmed {time} later', { time: formatDuration((Date.parse(event.confirmedAt) - Date.parse(event.occurredAt)) / 1000, style()) })}` : '') : null,
    decisive ? h('p', { class: 'why-reason' }, reason(kind, decisive)) : null,
    h('p', { class: 'quiet note', lang: 'en' }, data.answer),
    (data.remarks ?? []).map((remark) => h('p', { class: 'warning-text note', lang: 'en' }, remark)),
    h('p', { class: 'event-links' },
      moment ? h('a', { href: trackAddress(data.deviceId, { at: moment }), id: 'why-track' }, t('Show the track')) : null,
      data.visitBefore && kind !== 'event' ? h('a', { href: whyAddress(data.deviceId, data.geofenceId, data.visitBefore.enteredAt) }, t('Previous visit')) : null,
      data.visitAfter && kind !== 'event' ? h('a', { href: whyAddress(data.deviceId, data.geofenceId, data.visitAfter.enteredAt) }, t('Next visit')) : null));
}

/** What a rule says about an event, if that differs from what it says about a position. */
const eventRules = {
  confirmed: text('A further position confirmed the first one.'),
  first: text('It was the first usable position. Nothing was known before.'),
  passage: text('The path between two positions leads through the geofence.'),
  deadline: text('No further position arrived within the waiting time, so the change counts as confirmed.'),
};

/** The reason: the rule of the decisive step; if nothing happened, also how close the device was to a change. */
function reason(kind, step) {
  if (kind === 'event') return eventRules[step.rule] ? t(eventRules[step.rule]) : ruleText(step.rule);
  const rule = ruleText(step.rule);
  if (kind === 'unknown' || step.distance === undefined || !step.after) return rule;
  const length = formatLength(Math.abs(step.distance), style());
  const where = t(step.distance <= 0 ? text('{length} inside') : text('{length} outside'), { length });
  const closest = kind === 'inside'
    ? t('The furthest of these positions was {where}.', { where })
    : t('The nearest of these positions was {where}.', { where });
  return step.rule === 'holds' ? closest : `${closest} ${rule}`;
}

const tones = {
  inside: text('Inside'),
  outside: text('Outside'),
  pending: text('Not confirmed yet'),
  unsure: text('Not evaluated'),
};

const legend = () => h('ul', { class: 'legend why-legend' },
  Object.entries(tones).map(([tone, name]) => h('li', {}, h('span', { class: `swatch round tone-${tone}` }), t(name))),
  h('li', {}, h('span', { class: 'swatch band' }), t('Uncertain zone: the last state holds')),
  h('li', {}, h('span', { class: 'swatch round dashed' }), t('Reported accuracy')),
  h('li', {}, h('span', { class: 'swatch round counted' }), t('Accuracy used')));

const policyTexts = {
  accuracyCap: text('Maximum accuracy radius used'),
  maxAccuracy: text('Positions coarser than this decide only far from the boundary'),
  exitMargin: text('Distance past the boundary that counts as outside'),
  confirmFixes: text('Positions that confirm a change'),
  confirmSeconds: text('Time that confirms a change'),
  maxSpeed: text('A position that implies more than this speed is an outlier'),
  crossing: text('Longest gap between positions for a passage'),
  stay: text('Standard deviations for leaving a stationary place'),
};

const sources = {
  geofence: text('set by the geofence'),
  device: text('set by the device'),
  store: text('default setting'),
};

/** The parameters of the decision policy and their sources. */
function policy({ policy: numbers }) {
  const units = { m: (value) => formatLength(value, style()), s: (value) => formatDuration(value, style()) };
  const write = ({ value, unit }) => (value === 'none' ? t('no limit') : units[unit]?.(value) ?? `${value} ${unit}`.trim());
  return h('details', { class: 'card', 'data-key': 'policy' }, h('summary', {}, t('Policy')),
    h('dl', { class: 'facts' }, Object.entries(numbers).flatMap(([name, number]) =>
      [h('dt', {}, t(policyTexts[name] ?? name)), h('dd', {}, `${write(number)} · ${t(sources[number.from] ?? number.from)}`)])));
}
