// The setup of a phone's app: the QR code, the settings to type, and problems with the address.

import { askToConfirm, confirmation } from './confirmation.js';
import { copyable } from './copy.js';
import { h, icon } from './dom.js';
import { waitCard } from './enroll-wait.js';
import { button, heading } from './parts.js';
import { qrCode } from './qr-code.js';
import { isBeingRemoved, removeLater } from './removal.js';
import { app } from './state.js';
import { t, text, tn } from './translate.js';

/** The supported apps, with the names that the service uses. */
export const apps = ['ownTracks', 'traccar', 'curl'];

/** The names of the apps for people. */
export const appNames = { ownTracks: text('OwnTracks'), traccar: text('Traccar Client'), curl: text('Another app') };

/**
 * @param {object} enrollment The response of the service.
 * @param {string} app One of `apps`.
 * @param {(app: string) => void} choose
 */
export const setupView = (enrollment, app, choose) => [
  heading(t('Set up {name}', { name: enrollment.device.name })),
  enrollment.warnings.map((warning) => h('div', { class: 'callout warning', role: 'note', 'data-key': warning.code },
    icon(warning.icon), h('div', {}, h('strong', {}, warning.title), h('p', {}, warning.message)))),
  h('fieldset', { class: 'app-choice', 'data-key': 'apps' }, h('legend', { class: 'hidden-visually' }, t('App on the phone')),
    h('div', { class: 'choices' }, apps.map((name) => h('label', { class: 'choice', 'data-key': name },
      h('input', { type: 'radio', name: 'setup-app', value: name, checked: name === app, onchange: () => choose(name) }), t(appNames[name]))))),
  h('section', { class: 'card setup', id: 'setup', 'data-app': app, 'data-key': `setup ${app}` }, app === 'curl' ? byCurl(enrollment) : byApp(enrollment[app], app)),
  enrollment.administrator ? ownToken(enrollment.administrator) : null,
  waitCard(enrollment, app),
  h('p', { class: 'footer' }, t('These settings contain the token. It is shown only now: stay on this page until the phone works.')),
  otherTokens(enrollment),
];

const ownToken = ({ secret }) => h('section', { class: 'card', id: 'own-token', 'data-key': 'own-token', 'aria-labelledby': 'own-token-title' },
  h('h2', { id: 'own-token-title' }, t('Your own token')),
  h('p', {}, t('This was the first token, so from now on every request needs one. This token with the role admin is yours: keep it for other browsers. It is not shown again.')),
  copyable('own-token', t('Token'), secret));

const steps = {
  ownTracks: [
    text('Install OwnTracks on the phone and open it once.'),
    text('Allow it to receive settings: on Android ‘Preferences › Remote control › Allow external configuration’, on iPhone the switch for configuration by URI in the settings. You can switch it off again afterward.'),
    text('Scan the code with the phone’s camera, then confirm.'),
    text('Allow location ‘Always’, then send a position with the arrow on the app’s map.'),
  ],
  traccar: [
    text('Install Traccar Client on the phone.'),
    text('In its settings, scan the code with the QR symbol.'),
    text('Switch on ‘Continuous tracking’ and allow location ‘Always’.'),
  ],
};

function byApp(settings, app) {
  const name = t(appNames[app]);
  const fields = app === 'ownTracks'
    ? [
      ['mode', t('Mode'), 'HTTP'], ['url', t('URL'), settings.url], ['username', t('Username'), settings.username],
      ['password', t('Password'), settings.password], ['deviceId', t('Device ID'), settings.deviceId],
    ]
    : [['serverUrl', t('Server URL'), settings.serverUrl], ['identifier', t('Device identifier'), settings.deviceId]];
  return [
    h('div', { class: 'scan', 'data-key': 'scan' },
      h('div', { class: 'code' }, qrCode(settings.qr, t('QR code with the settings of {app}', { app: name }))),
      h('div', {},
        h('h2', {}, t('Scan the code')),
        h('ol', { class: 'setup-steps' }, steps[app].map((step) => h('li', {}, t(step)))),
        h('p', {}, h('a', { class: 'button', href: settings.link, id: 'setup-link' }, t('Open the Link on This Phone'))))),
    h('details', { id: 'by-hand', 'data-key': 'by-hand' }, h('summary', {}, t('Or type the settings')),
      h('dl', { class: 'settings' }, fields.map(([field, label, value]) => h('div', { 'data-field': field },
        h('dt', {}, label), h('dd', {}, copyable(`${app} ${field}`, label, value)))))),
  ];
}

const byCurl = ({ curl, traccar }) => [
  h('p', {}, t('Paste this into a terminal. It reports a position in Berlin:')), copyable('command', t('Command'), curl.command),
  h('p', {}, t('Other apps with the OsmAnd protocol use this address, and the id as the device’s identifier:')),
  copyable('server-url', t('Server URL'), traccar.serverUrl), copyable('device-id', t('Device identifier'), traccar.deviceId),
];

/** The key of the question about revoking earlier tokens of the device. */
const revocation = 'revoke others';
const pathOf = ({ id }) => `/v1/tokens/${encodeURIComponent(id)}`;

function otherTokens(enrollment) {
  const others = enrollment.otherTokens.filter((token) => !isBeingRemoved(pathOf(token)));
  if (others.length === 0) return null;
  return h('div', { class: 'card', id: 'other-tokens', 'data-key': 'other-tokens' },
    h('p', {}, tn(others.length, '{count} earlier token of this device is still valid.', '{count} earlier tokens of this device are still valid.')),
    app.open.has(revocation) ? revocationQuestion(others) : h('p', { class: 'actions', 'data-key': 'actions' },
      button(t('Revoke'), () => askToConfirm(revocation, 'revocation'), { kind: 'danger', isWrite: true, id: 'revoke-others' })));
}

const revocationQuestion = (others) => confirmation({
  key: revocation, name: 'revocation', backTo: 'revoke-others', question: t('Revoke the earlier tokens?'),
  loss: t('A phone that still uses one of them is then refused.'),
  label: t('Revoke'), action: () => revoke(others),
});

/** Revokes each token when the time for undo has passed. */
function revoke(tokens) {
  app.open.delete(revocation);
  for (const token of tokens) {
    const { name } = token;
    removeLater({ path: pathOf(token), text: t('Token ‘{name}’ revoked.', { name }), failed: t('Token ‘{name}’ was not revoked.', { name }), listPath: '/v1/tokens' });
  }
}
