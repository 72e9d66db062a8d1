// The text of an event: what happened, the cause, and how certain it is.

import { alarmKind } from './alarm-kinds.js';
import { deviceOf } from './devices.js';
import { h } from './dom.js';
import { types } from './event-types.js';
import { formatClock, formatDuration, formatLength, formatTime } from './format.js';
import { phrase } from './phrase.js';
import { style } from './preferences.js';
import { t, text } from './translate.js';

/** @param {object} event @returns {[string, string]} The icon and the color tone. */
export const lookOf = (event) => types[event.type]?.look ?? ['questionmark.circle', 'neutral'];

/** @param {string} type */
export const typeName = (type) => t(types[type]?.name ?? type);

/** What a device did not do, by the kind of the rule. */
const missed = {
  entersBy: text('{device} did not enter {geofence} in time'),
  staysAtMost: text('{device} stayed in {geofence} for too long'),
  staysUntil: text('{device} left {geofence} too early'),
};

const named = (name) => h('bdi', { class: 'name' }, name);

/** The name of an event's device. */
export const deviceNameOf = (event) => deviceOf(event.deviceId).name;

/** The event as a sentence in which the names are separate elements. @param {object} event */
export function sentenceOf(event) {
  const device = named(deviceNameOf(event));
  const geofence = event.geofenceId ? named(event.geofenceName ?? event.geofenceId) : null;
  if (event.type === 'alarm') return phrase('{device} raised an alarm: {kind}', { device, kind: named(alarmKind(event.alarm?.kind ?? '')) });
  if (event.type === 'missed') return phrase(missed[event.rule?.kind] ?? text('{device} did not do what a rule expects'), { device, geofence });
  if (event.type === 'retracted' && !geofence) return phrase('A wrong event of {device} was retracted', { device });
  return phrase(types[event.type]?.sentence ?? event.type, { device, geofence });
}

/** The causes that the sentence does not contain. The usual cause, a device that moved, is not mentioned. */
export const causes = {
  initial: text('already inside at its first position'),
  fenceChanged: text('because the geofence was changed'),
  fenceRemoved: text('because the geofence was removed'),
  reconciled: text('because the phone itself reported it'),
  corrected: text('corrected by a replay'),
  deviceRemoved: text('because the device was removed'),
  reported: text('reported by the device'),
};

/** The cause of an event as text; null if its sentence already contains it. @param {object} event */
export const causeOf = (event) => (causes[event.cause] && event.type !== 'retracted' ? t(causes[event.cause]) : null);

/** The duration as text; null if the event has none. @param {object} event */
export function durationOf(event) {
  const words = types[event.type]?.duration;
  return event.duration === undefined || !words ? null : t(words, { time: formatDuration(event.duration, style()) });
}

/** The accuracy of the position that led to the event; null if it is unknown. @param {object} event */
export const accuracyOf = (event) => (event.fix?.accuracy ? `±${formatLength(event.fix.accuracy, style())}` : null);

/** A note that the event was inferred without a position; null if a position shows it. @param {object} event */
export const inferenceOf = (event) =>
  (event.inferred ? t('inferred: no position shows the exact time; last position at {time}', {
    time: clock(event.lastSeen ?? event.fix?.timestamp ?? event.occurredAt),
  }) : null);

const clock = (moment) => formatClock(moment, style());

/** Who takes care of an alarm, and since when; null if it is not acknowledged. */
function acknowledgmentOf({ alarm }) {
  if (!alarm?.acknowledgedAt) return null;
  const time = formatTime(alarm.acknowledgedAt, style());
  return alarm.acknowledgedBy ? t('{person} has taken care of it since {time}', { person: alarm.acknowledgedBy, time }) : t('acknowledged on {time}', { time });
}

/** All further facts about an event as text. @param {object} event @returns {string[]} */
export function factsOf(event) {
  return [
    durationOf(event),
    causeOf(event),
    inferenceOf(event),
    Date.parse(event.confirmedAt) - Date.parse(event.occurredAt) >= 1000 ? t('confirmed at {time}', { time: clock(event.confirmedAt) }) : null,
    accuracyOf(event) && !event.inferred ? t('position {length}', { length: accuracyOf(event) }) : null,
    acknowledgmentOf(event),
  ].filter(Boolean);
}

/** The time of an event. @param {object} event */
export const clockOf = (event) =>
  h('time', { datetime: event.occurredAt, title: formatTime(event.occurredAt, style()) }, formatClock(event.occurredAt, style()));
