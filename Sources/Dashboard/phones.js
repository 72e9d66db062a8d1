// Phones and other devices: the existing ones, those that wait to be accepted, and ways to add more.

import { h } from './dom.js';
import { devicesPath } from './devices.js';
import { enrollView, enrollTitle, leaveEnrollment } from './enroll.js';
import { formatLength } from './format.js';
import { loaded } from './loaded.js';
import { fileLoader, leaveFileLoader } from './load-file.js';
import { deviceName, empty, heading, section, since } from './parts.js';
import { style } from './preferences.js';
import { sampleSection } from './sample-data.js';
import { resource } from './state.js';
import { t } from './translate.js';
import { waitingSection } from './waiting-list.js';

/** @param {string[]} parts */
export function title([page]) {
  if (page === 'add') return enrollTitle();
  return page === 'load' ? t('Load a file') : t('Phones');
}

/** @param {string[]} parts `add` with an optional device id, or `load`; empty for the list. */
export function view([page, id]) {
  if (page !== 'add') leaveEnrollment();
  if (page !== 'load') leaveFileLoader();
  if (page === 'add') return [back(), enrollView(id)];
  if (page === 'load') return [back(), heading(t('Load a file')), fileLoader()];
  const devices = resource(devicesPath);
  return [
    heading(t('Phones'), h('span', { class: 'actions' },
      h('a', { class: 'button', href: '#/phones/load', id: 'load-a-file' }, t('Load a File')),
      h('a', { class: 'button primary', href: '#/phones/add', id: 'add-a-phone' }, t('Add a Phone')))),
    waitingSection(),
    section('phones-devices', t('Devices'), loaded(devicesPath, devices, list), devices.data?.next
      ? t('The first {count} devices are shown.', { count: devices.data.devices.length }) : null),
    sampleSection(),
  ];
}

/** Discards the secrets that were shown, and stops waiting for a position. */
export function left() {
  leaveEnrollment();
  leaveFileLoader();
}

const back = () => h('p', { class: 'back', 'data-key': 'back' }, h('a', { href: '#/phones' }, '← ', t('Phones')));

function list({ devices }) {
  if (devices.length === 0) return empty(t('No device yet. Add a phone, or load a file of positions.'));
  return h('ul', { class: 'list', id: 'device-list' }, devices.map(row));
}

function row({ id, name, registry, lastFix }) {
  return h('li', { class: 'row', 'data-key': id },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, deviceName(name || id, registry)),
      h('span', { class: 'identifier' }, h('bdi', {}, id))),
    h('span', { class: 'row-facts' }, lastFix ? h('span', {}, t('Last position'), ' ', since(lastFix.timestamp), accuracyOf(lastFix)) : t('No position yet')),
    h('a', { class: 'button', href: `#/phones/add/${encodeURIComponent(id)}`, 'aria-label': t('Set up an app for {name}', { name: name || id }) }, t('Set Up')));
}

const accuracyOf = ({ accuracy }) => (accuracy === undefined ? null : `, ${t('to {length}', { length: formatLength(accuracy, style()) })}`);
