// The setup of a phone's app: the QR code, the settings to type, and problems with the address.

import { askToConfirm, confirmation } from './confirmation.js';
import { copyable } from './copy.js';
import { h, icon } from './dom.js';
import { waitCard } from './enroll-wait.js';
import { button, heading } from './parts.js';
import { qrCode } from './qr-code.js';
import { isBeingRemoved, removeLater } from './removal.js';
import { app } from './state.js';
import { t } from './translate.js';

/** The supported apps, with the names that the service uses. */
export const apps = ['ownTracks', 'traccar', 'curl'];

/**
 * @param {object} enrollment The response of the service.
 * @param {string} app One of `apps`.
 * @param {(app: string) => void} choose
 */
export const setupView = (enrollment, app, choose) => [
  heading(t('setup.title', { name: enrollment.device.name })),
  enrollment.warnings.map((warning) => h('div', { class: 'callout warning', role: 'note', 'data-key': warning.code },
    icon(warning.icon), h('div', {}, h('strong', {}, warning.title), h('p', {}, warning.message)))),
  h('fieldset', { class: 'app-choice', 'data-key': 'apps' }, h('legend', { class: 'hidden-visually' }, t('enroll.app')),
    h('div', { class: 'choices' }, apps.map((name) => h('label', { class: 'choice', 'data-key': name },
      h('input', { type: 'radio', name: 'setup-app', value: name, checked: name === app, onchange: () => choose(name) }), t(`enroll.app.${name}`))))),
  h('section', { class: 'card setup', id: 'setup', 'data-app': app, 'data-key': `setup ${app}` }, app === 'curl' ? byCurl(enrollment) : byApp(enrollment[app], app)),
  enrollment.administrator ? ownToken(enrollment.administrator) : null,
  waitCard(enrollment, app),
  h('p', { class: 'footer' }, t('setup.secret')),
  otherTokens(enrollment),
];

const ownToken = ({ secret }) => h('section', { class: 'card', id: 'own-token', 'data-key': 'own-token', 'aria-labelledby': 'own-token-title' },
  h('h2', { id: 'own-token-title' }, t('setup.own.title')), h('p', {}, t('setup.own')), copyable('own-token', t('setup.field.token'), secret));

const steps = { ownTracks: ['1', '2', '3', '4'], traccar: ['1', '2', '3'] };

function byApp(settings, app) {
  const name = t(`enroll.app.${app}`);
  const fields = app === 'ownTracks'
    ? [['mode', 'HTTP'], ['url', settings.url], ['username', settings.username], ['password', settings.password], ['deviceId', settings.deviceId]]
    : [['serverUrl', settings.serverUrl], ['identifier', settings.deviceId]];
  return [
    h('div', { class: 'scan', 'data-key': 'scan' },
      h('div', { class: 'code' }, qrCode(settings.qr, t('setup.qr', { app: name }))),
      h('div', {},
        h('h2', {}, t('setup.scan')),
        h('ol', { class: 'setup-steps' }, steps[app].map((step) => h('li', {}, t(`setup.${app}.${step}`)))),
        h('p', {}, h('a', { class: 'button', href: settings.link, id: 'setup-link' }, t('setup.link'))))),
    h('details', { id: 'by-hand', 'data-key': 'by-hand' }, h('summary', {}, t('setup.byHand')),
      h('dl', { class: 'settings' }, fields.map(([field, value]) => h('div', { 'data-field': field },
        h('dt', {}, t(`setup.field.${field}`)), h('dd', {}, copyable(`${app} ${field}`, t(`setup.field.${field}`), value)))))),
  ];
}

const byCurl = ({ curl, traccar }) => [
  h('p', {}, t('setup.curl.1')), copyable('command', t('setup.field.command'), curl.command),
  h('p', {}, t('setup.curl.2')), copyable('server-url', t('setup.field.serverUrl'), traccar.serverUrl), copyable('device-id', t('setup.field.identifier'), traccar.deviceId),
];

/** The key of the question about revoking earlier tokens of the device. */
const revocation = 'revoke others';
const pathOf = ({ id }) => `/v1/tokens/${encodeURIComponent(id)}`;

function otherTokens(enrollment) {
  const others = enrollment.otherTokens.filter((token) => !isBeingRemoved(pathOf(token)));
  if (others.length === 0) return null;
  return h('div', { class: 'card', id: 'other-tokens', 'data-key': 'other-tokens' },
    h('p', {}, t('setup.other', { count: others.length })),
    app.open.has(revocation) ? revocationQuestion(others) : h('p', { class: 'actions', 'data-key': 'actions' },
      button(t('setup.revoke'), () => askToConfirm(revocation, 'revocation'), { kind: 'danger', isWrite: true, id: 'revoke-others' })));
}

const revocationQuestion = (others) => confirmation({
  key: revocation, name: 'revocation', backTo: 'revoke-others', question: t('setup.revoke.question'), loss: t('setup.revoke.loss'),
  label: t('setup.revoke'), action: () => revoke(others),
});

/** Revokes each token when the time for undo has passed. */
function revoke(tokens) {
  app.open.delete(revocation);
  for (const token of tokens) removeLater({ path: pathOf(token), text: t('setup.revoked', { name: token.name }), failed: t('setup.notRevoked', { name: token.name }), listPath: '/v1/tokens' });
}
