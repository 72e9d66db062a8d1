// The text of an event: what happened, the cause, and how certain it is.

import './words-events.js';
import { alarmKind } from './alarm-kinds.js';
import { deviceOf } from './devices.js';
import { h } from './dom.js';
import { formatClock, formatDuration, formatLength, formatTime } from './format.js';
import { phrase } from './phrase.js';
import { language, style } from './preferences.js';
import { t } from './translate.js';

/** The icon and the color tone for each type. */
const looks = {
  enter: ['arrow.enter', 'good'], exit: ['arrow.exit', 'accent'], dwell: ['dwell', 'neutral'], silent: ['bell.slash', 'warning'],
  returned: ['checkmark.circle', 'good'], alarm: ['exclamationmark.octagon', 'bad'], missed: ['clock.badge.exclamationmark', 'warning'],
  retracted: ['arrow.counterclockwise', 'warning'],
};

/** @param {object} event @returns {[string, string]} The icon and the color tone. */
export const lookOf = (event) => looks[event.type] ?? ['questionmark.circle', 'neutral'];

const named = (name) => h('bdi', { class: 'name' }, name);

/** The name of an event's device. */
export const deviceNameOf = (event) => deviceOf(event.deviceId).name;

/** The event as a sentence in which the names are separate elements. @param {object} event */
export function sentenceOf(event) {
  const device = named(deviceNameOf(event));
  const geofence = event.geofenceId ? named(event.geofenceName ?? event.geofenceId) : null;
  if (event.type === 'alarm') return phrase('events.said.alarm', { device, kind: named(alarmKind(event.alarm?.kind ?? '', language())) });
  if (event.type === 'missed') return phrase(`events.said.missed.${event.rule?.kind ?? 'rule'}`, { device, geofence });
  if (event.type === 'retracted' && !geofence) return phrase('events.said.retracted.device', { device });
  return phrase(`events.said.${event.type}`, { device, geofence });
}

/** The causes that the sentence does not contain. The usual cause, a device that moved, is not mentioned. */
const causes = ['initial', 'fenceChanged', 'fenceRemoved', 'reconciled', 'corrected', 'deviceRemoved', 'reported'];

/** The cause of an event as text; null if its sentence already contains it. @param {object} event */
export const causeOf = (event) => (causes.includes(event.cause) && event.type !== 'retracted' ? t(`events.cause.${event.cause}`) : null);

/** The duration as text; null if the event has none. @param {object} event */
export function durationOf(event) {
  if (event.duration === undefined || !['exit', 'dwell', 'silent', 'returned'].includes(event.type)) return null;
  return t(`events.duration.${event.type}`, { time: formatDuration(event.duration, style()) });
}

/** The accuracy of the position that led to the event; null if it is unknown. @param {object} event */
export const accuracyOf = (event) => (event.fix?.accuracy ? `±${formatLength(event.fix.accuracy, style())}` : null);

/** A note that the event was inferred without a position; null if a position shows it. @param {object} event */
export const inferenceOf = (event) =>
  (event.inferred ? t('events.inferred', { time: clock(event.lastSeen ?? event.fix?.timestamp ?? event.occurredAt) }) : null);

const clock = (moment) => formatClock(moment, style());

/** Who takes care of an alarm, and since when; null if it is not acknowledged. */
function acknowledgmentOf({ alarm }) {
  if (!alarm?.acknowledgedAt) return null;
  const time = formatTime(alarm.acknowledgedAt, style());
  return alarm.acknowledgedBy ? t('events.acknowledged.by', { person: alarm.acknowledgedBy, time }) : t('events.acknowledged', { time });
}

/** All further facts about an event as text. @param {object} event @returns {string[]} */
export function factsOf(event) {
  return [
    durationOf(event),
    causeOf(event),
    inferenceOf(event),
    Date.parse(event.confirmedAt) - Date.parse(event.occurredAt) >= 1000 ? t('events.confirmed', { time: clock(event.confirmedAt) }) : null,
    accuracyOf(event) && !event.inferred ? t('events.accuracy', { length: accuracyOf(event) }) : null,
    acknowledgmentOf(event),
  ].filter(Boolean);
}

/** The time of an event. @param {object} event */
export const clockOf = (event) =>
  h('time', { datetime: event.occurredAt, title: formatTime(event.occurredAt, style()) }, formatClock(event.occurredAt, style()));
