// The result of uploading a position file.

import { h, icon } from './dom.js';
import { sentenceOf } from './event-words.js';
import { number, since } from './parts.js';
import { language } from './preferences.js';
import { t, tn } from './translate.js';

/** The maximum number of events to list. */
const shownEvents = 20;
/** The maximum number of reasons to list. */
const shownReasons = 20;

/** The result before anything was sent. */
export const emptyResult = () => ({ accepted: 0, duplicates: 0, late: 0, waiting: 0, refused: 0, reasons: new Map(), events: [], eventCount: 0 });

/**
 * Adds the response for one piece.
 *
 * @param {ReturnType<typeof emptyResult>} total
 * @param {object} answer The response of `POST /v1/positions`.
 */
export function addAnswer(total, answer) {
  for (const name of ['accepted', 'duplicates', 'late', 'waiting']) total[name] += answer[name];
  total.refused += answer.refusedCount;
  for (const { field, value, ...refusal } of answer.refused) {
    const reason = refusal.reasonIn?.[language()] ?? refusal.reason;
    // Fields of different list elements count as one kind: features[7].properties.time and features[8].properties.time.
    const key = `${field.replace(/\d+/g, '')} ${reason}`;
    const known = total.reasons.get(key);
    if (known) known.count += 1;
    else total.reasons.set(key, { field, value, reason, count: 1 });
  }
  total.eventCount += answer.eventCount;
  total.events.push(...(answer.events ?? []).slice(0, Math.max(0, shownEvents - total.events.length)));
}

/** @param {ReturnType<typeof emptyResult>} result */
export function loadResult(result) {
  const { accepted, duplicates, late, waiting, refused, reasons, events, eventCount } = result;
  const isGood = accepted + duplicates > 0;
  const counts = [
    ['duplicates', t('Already known'), duplicates], ['late', t('Late'), late],
    ['waiting', t('Not evaluated yet (evaluated within a minute)'), waiting], ['refused', t('Refused'), refused],
  ].filter(([, , count]) => count > 0);
  return h('section', { class: 'card', id: 'load-result', 'data-key': 'load-result', 'data-accepted': accepted, role: 'status' },
    h('p', { class: `badge large ${isGood ? 'good' : 'warning'}` }, icon(isGood ? 'checkmark.circle' : 'exclamationmark.triangle'),
      h('span', {}, tn(accepted, '{count} position accepted', '{count} positions accepted'))),
    counts.length ? h('dl', { class: 'facts inline' }, counts.map(([name, label, count]) => h('div', { 'data-fact': name },
      h('dt', {}, label), h('dd', {}, number(count))))) : null,
    reasons.size ? h('ul', { class: 'reasons', id: 'load-reasons' }, [...reasons.values()].slice(0, shownReasons).map(reasonRow)) : null,
    eventCount === 0 ? (isGood ? h('p', { class: 'quiet' }, t('No events: no device entered or left a geofence.')) : null) : [
      h('h2', {}, tn(eventCount, '{count} event', '{count} events')),
      h('ul', { class: 'list flat', id: 'load-events' }, events.map(eventRow)),
      h('p', { class: 'more' }, h('a', { href: '#/events' }, t('All events'))),
    ]);
}

const reasonRow = ({ field, value, reason, count }) => h('li', {},
  h('strong', {}, `${number(count)} × `), t('{field}: {reason}', { field, reason }), value ? [' (', t('for example ‘{value}’', { value }), ')'] : null);

const eventRow = (event) => h('li', { class: 'row' }, h('span', {}, sentenceOf(event)), h('span', { class: 'row-facts' }, since(event.occurredAt)));
