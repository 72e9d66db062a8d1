// The person's preferences and the session.

import { h } from './dom.js';
import { notificationSettings } from './emergency-notices.js';
import { button, heading, section } from './parts.js';
import { choices, preferences, setPreference } from './preferences.js';
import { operationProblem } from './problem-card.js';
import { signOut } from './session.js';
import { app, operation, run } from './state.js';
import { vibrate } from './haptics.js';
import { t } from './translate.js';

let onChange = () => {};

/** @param {(name: string) => void} callback Called with the name of a changed preference. */
export const onPreference = (callback) => { onChange = callback; };

export const title = () => t('nav.settings');

export function view() {
  return [
    heading(title()),
    section('preferences', t('settings.appearance'), h('div', { class: 'card form' },
      ['theme', 'language', 'units'].map((name) => select(name, choices[name].map((value) => [value, t(`settings.${name}.${value}`)]))),
      select('timeZone', [['system', t('settings.timeZone.system', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })],
        ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')])]))),
    section('notifications', t('emergency.notify.title'), notificationSettings()),
    section('account', t('settings.account'), h('div', { class: 'card' }, account())),
  ];
}

function select(name, options) {
  const id = `setting-${name}`;
  const chosen = preferences()[name];
  return h('div', { class: 'field' },
    h('label', { for: id }, t(`settings.${name}`)),
    h('select', { id, onchange: (event) => change(name, event.target.value) },
      options.map(([value, label]) => h('option', { value, selected: value === chosen }, label))));
}

function change(name, value) {
  setPreference(name, value);
  vibrate('saved');
  onChange(name);
}

function account() {
  if (!app.session) return h('p', {}, t('settings.nobody'));
  if (app.session.isOpen) return h('p', {}, t('settings.open'));
  return [
    h('p', {}, t('settings.signedIn', { name: app.session.name }), ' ', t(`role.${app.session.role}`)),
    operationProblem('sign out', leave),
    h('p', { class: 'actions' }, button(t('signOut'), leave, { id: 'sign-out', isRunning: operation('sign out').isRunning })),
  ];
}

const leave = () => run('sign out', signOut);
