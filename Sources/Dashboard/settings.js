// The person's preferences and the session.

import { h } from './dom.js';
import { notificationSettings } from './emergency-notices.js';
import { languages } from './languages.js';
import { button, heading, section } from './parts.js';
import { preferences, setPreference } from './preferences.js';
import { operationProblem } from './problem-card.js';
import { signOut } from './session.js';
import { app, operation, run } from './state.js';
import { vibrate } from './haptics.js';
import { t, text } from './translate.js';

let onChange = () => {};

/** @param {(name: string) => void} callback Called with the name of a changed preference. */
export const onPreference = (callback) => { onChange = callback; };

export const title = () => t('Settings');

export function view() {
  return [
    heading(title()),
    section('preferences', t('Display'), h('div', { class: 'card form' },
      select('theme', t('Theme'), [['system', t('Same as the system')], ['light', t('Light')], ['dark', t('Dark')]]),
      select('language', t('Language'), [['system', t('Same as the browser')], ...languages.map((language) => [language.tag, language.name])]),
      select('units', t('Units'), [['metric', t('Meters and kilometers')], ['imperial', t('Feet and miles')]]),
      select('timeZone', t('Time zone'), [['system', t('Same as the system ({zone})', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })],
        ...Intl.supportedValuesOf('timeZone').map((zone) => [zone, zone.replaceAll('_', ' ')])]))),
    section('notifications', t('Notifications'), notificationSettings()),
    section('account', t('Session'), h('div', { class: 'card' }, account())),
  ];
}

function select(name, label, options) {
  const id = `setting-${name}`;
  const chosen = preferences()[name];
  return h('div', { class: 'field' },
    h('label', { for: id }, label),
    h('select', { id, onchange: (event) => change(name, event.target.value) },
      options.map(([value, text]) => h('option', { value, selected: value === chosen }, text))));
}

async function change(name, value) {
  await setPreference(name, value);
  vibrate('saved');
  onChange(name);
}

const roleTexts = {
  admin: text('You can change everything.'),
  reader: text('You can read everything, but change nothing.'),
};

function account() {
  if (!app.session) return h('p', {}, t('Not signed in.'));
  if (app.session.isOpen) return h('p', {}, t('This service is open: there is no token yet, and only this machine can reach it.'));
  return [
    h('p', {}, t('Signed in as {name}.', { name: app.session.name }), ' ', t(roleTexts[app.session.role] ?? '')),
    operationProblem('sign out', leave),
    h('p', { class: 'actions' }, button(t('Sign Out'), leave, { id: 'sign-out', isRunning: operation('sign out').isRunning })),
  ];
}

const leave = () => run('sign out', signOut);
