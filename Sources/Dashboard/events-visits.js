// Visits as a table, newest first.

import { deviceOf } from './devices.js';
import { h } from './dom.js';
import { causes } from './event-words.js';
import { trackAddress, whyAddress } from './events-address.js';
import { table, trackLink, whyLink } from './events-timeline.js';
import { dateOf } from './days.js';
import { formatDuration, formatTime } from './format.js';
import { style } from './preferences.js';
import { t } from './translate.js';

/** @param {object[]} visits Newest first. */
export function visitTable(visits) {
  const columns = [t('Device'), t('Geofence'), t('Entered'), t('Left'), t('Seen for'), ''];
  return table('visit-table', t('Visits, newest first'), columns, visits.map(row));
}

const time = (moment) => h('time', { datetime: moment }, formatTime(moment, style()));

function row(visit) {
  const device = deviceOf(visit.deviceId).name;
  const geofence = visit.geofenceName ?? visit.geofenceId;
  const causes = causesOf(visit).join(' · ');
  const silence = visit.notSeenSince ? h('span', { class: 'warning-text note' },
    t('not seen since {time}', { time: formatTime(visit.notSeenSince, style()) })) : null;
  return h('tr', { 'data-key': `${visit.enteredAt} ${visit.deviceId} ${visit.geofenceId}`, 'data-open': visit.open ? 'true' : null },
    h('th', { scope: 'row' }, h('bdi', {}, device), causes ? h('span', { class: 'quiet note' }, causes) : null),
    h('td', {}, h('bdi', {}, geofence)),
    h('td', {}, time(visit.enteredAt)),
    h('td', {}, visit.open ? h('strong', { class: 'good-text' }, t('still there')) : time(visit.exitedAt), silence),
    h('td', { class: 'number' }, ...howLong(visit)),
    h('td', {}, h('span', { class: 'event-links' },
      whyLink(whyAddress(visit.deviceId, visit.geofenceId, visit.enteredAt), `${device}, ${geofence}`),
      trackLink(trackAddress(visit.deviceId, { ...daysOf(visit), at: visit.enteredAt }), `${device}, ${geofence}`))));
}

function daysOf(visit) {
  const date = (moment) => dateOf(Date.parse(moment), style().timeZone);
  return { since: date(visit.enteredAt), until: date(visit.exitedAt ?? visit.lastSeenAt ?? visit.enteredAt) };
}

/** The causes other than a moving device. */
const causesOf = ({ enterCause, exitCause }) =>
  [enterCause, exitCause].filter((name) => causes[name]).map((name) => t(causes[name]));

/** How long a device was seen in a visit, and also the whole duration if it is longer by a minute or more. */
function howLong({ seenSeconds, duration }) {
  const write = (seconds) => formatDuration(seconds, style());
  const isLonger = duration !== undefined && duration - seenSeconds >= 60;
  return [write(seenSeconds), isLonger ? h('span', { class: 'quiet note' }, t('{time} from enter to exit', { time: write(duration) })) : null];
}
