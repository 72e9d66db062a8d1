// Phones and other devices: the existing ones, those that wait to be accepted, and ways to add more.

import './words-phones.js';
import './words-load.js';
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
  return t(page === 'load' ? 'load.title' : 'phones.title');
}

/** @param {string[]} parts `add` with an optional device id, or `load`; empty for the list. */
export function view([page, id]) {
  if (page !== 'add') leaveEnrollment();
  if (page !== 'load') leaveFileLoader();
  if (page === 'add') return [back(), enrollView(id)];
  if (page === 'load') return [back(), heading(t('load.title')), fileLoader()];
  const devices = resource(devicesPath);
  return [
    heading(t('phones.title'), h('span', { class: 'actions' },
      h('a', { class: 'button', href: '#/phones/load', id: 'load-a-file' }, t('phones.load')),
      h('a', { class: 'button primary', href: '#/phones/add', id: 'add-a-phone' }, t('phones.add')))),
    waitingSection(),
    section('phones-devices', t('phones.devices'), loaded(devicesPath, devices, list), devices.data?.next ? t('phones.more', { count: devices.data.devices.length }) : null),
    sampleSection(),
  ];
}

/** Discards the secrets that were shown, and stops waiting for a position. */
export function left() {
  leaveEnrollment();
  leaveFileLoader();
}

const back = () => h('p', { class: 'back', 'data-key': 'back' }, h('a', { href: '#/phones' }, '← ', t('phones.back')));

function list({ devices }) {
  if (devices.length === 0) return empty(t('phones.none'));
  return h('ul', { class: 'list', id: 'device-list' }, devices.map(row));
}

function row({ id, name, registry, lastFix }) {
  return h('li', { class: 'row', 'data-key': id },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, deviceName(name || id, registry)),
      h('span', { class: 'identifier' }, h('bdi', {}, id))),
    h('span', { class: 'row-facts' }, lastFix ? h('span', {}, t('phones.last'), ' ', since(lastFix.timestamp), accuracyOf(lastFix)) : t('phones.noFix')),
    h('a', { class: 'button', href: `#/phones/add/${encodeURIComponent(id)}`, 'aria-label': t('phones.setUp.name', { name: name || id }) }, t('phones.setUp')));
}

const accuracyOf = ({ accuracy }) => (accuracy === undefined ? null : `, ${t('phones.accuracy', { length: formatLength(accuracy, style()) })}`);
