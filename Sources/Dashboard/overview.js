// The start page: the status of everything, and the devices with their geofences.

import { firstRunWhenEmpty, leaveFirstRun, note } from './first-run-loading.js';
import { h } from './dom.js';
import { deviceOf } from './devices.js';
import { healthPath, totals } from './health.js';
import { loaded } from './loaded.js';
import { deviceName, empty, heading, section, since } from './parts.js';
import { noProblems, problemList, problemsPath } from './problems.js';
import { app, resource } from './state.js';
import { sinkBadge, sinksPath } from './sink-state.js';
import { t, tn } from './translate.js';

const statusPath = '/v1/status?limit=200&totals=true';
const shownProblems = 3;

export const title = () => t('Overview');

export const left = () => leaveFirstRun();

export function view() {
  const first = firstRunWhenEmpty(resource(statusPath).data);
  if (first) return first;
  const path = healthPath();
  return [
    heading(title()),
    note(),
    section('overview-problems', t('Problems'), loaded(problemsPath, resource(problemsPath), problems)),
    section('overview-health', t('Health'), loaded(path, resource(path), (data) =>
      h('div', { class: 'card' }, totals(data.totals), more('#/health', t('All devices'))))),
    section('overview-sinks', t('Sinks'), app.session?.isRestricted
      ? h('div', { class: 'card' }, h('p', {}, t('Your token is restricted to some devices. Sinks concern all devices, so they are not shown.')))
      : loaded(sinksPath, resource(sinksPath), sinks)),
    section('overview-devices', t('Who is where'), loaded(statusPath, resource(statusPath), whereabouts)),
  ];
}

const more = (href, label) => h('p', { class: 'more' }, h('a', { href }, label));

function problems({ problems: all }) {
  if (all.length === 0) return empty(noProblems());
  return [problemList(all, shownProblems, 3), all.length > shownProblems ? more('#/problems', tn(all.length, '{count} problem', 'All {count} problems')) : null];
}

function sinks({ sinks: all }) {
  if (all.length === 0) return h('div', { class: 'card' }, h('p', {}, t('No sinks. Events are stored, but not sent anywhere.')), more('#/sinks', t('All sinks')));
  return h('div', { class: 'card' },
    h('ul', { class: 'list flat' }, all.map((sink) => h('li', { class: 'row', 'data-key': sink.id }, h('span', { class: 'row-title' }, h('bdi', {}, sink.id)), sinkBadge(sink)))),
    more('#/sinks', t('All sinks')));
}

function whereabouts({ devices, totals: counts }) {
  if (devices.length === 0) return empty(t('No device has sent a position yet.'));
  return [
    h('ul', { class: 'list' }, devices.map((device) => h('li', { class: 'row', 'data-key': device.deviceId },
      h('span', { class: 'row-main' },
        h('a', { class: 'row-title', href: `#/map/device/${encodeURIComponent(device.deviceId)}` }, deviceName(device.name ?? device.deviceId, deviceOf(device.deviceId).registry)),
        h('span', { class: 'quiet' }, places(device.inside))),
      h('span', { class: 'row-facts' }, device.lastFix ? h('span', {}, t('Last position'), ' ', since(device.lastFix.timestamp)) : t('No position yet'))))),
    h('p', { class: 'footer' }, t('{devices} devices, {geofences} geofences, {fixes} positions, {events} events', counts)),
  ];
}

function places(inside) {
  if (inside.length === 0) return t('In no geofence');
  const names = inside.map((place) => h('bdi', {}, place.geofenceName ?? place.geofenceId));
  return [t('In'), ' ', names.flatMap((name, number) => (number ? [', ', name] : [name]))];
}
