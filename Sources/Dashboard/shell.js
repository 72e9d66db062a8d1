// The frame around the views: header, navigation, page status, the offline banner, and the sign for paused live updates.

import { areLiveUpdatesPaused, isSilent, offlineReason, pageStatus } from './connection.js';
import { h, icon, patchChildren } from './dom.js';
import { drawEmergencies } from './emergencies.js';
import { loadedAge, number, secondsAgo } from './parts.js';
import { app, resource, shownResources, whyReadOnly } from './state.js';
import { t, text, tn } from './translate.js';
import { drawWaiting } from './waiting.js';

/** Each view in the navigation, with its icon and its name for people. */
const entries = [
  ['overview', 'overview', text('Overview')], ['map', 'map', text('Map')], ['events', 'events', text('Events')],
  ['phones', 'iphone', text('Phones')], ['health', 'checkmark.shield', text('Health')],
  ['problems', 'exclamationmark.triangle', text('Problems')], ['sinks', 'tray.and.arrow.up', text('Sinks')],
];

const totalsPath = '/v1/status?limit=1';

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  const announcer = document.getElementById('announcer');
  // A screen reader repeats the same text only if it was removed in between.
  announcer.textContent = '';
  setTimeout(() => { announcer.textContent = text; }, 50);
}

// The bars cover the top of the page, so what sticks to the top and what fills the page must leave room for them.
new ResizeObserver(([{ target }]) => document.documentElement.style.setProperty('--bars', `${target.offsetHeight}px`)).observe(document.getElementById('page-bars'));

/** The view whose navigation entry was last scrolled into view, because the navigation is wider than a phone's screen. */
let shownEntry = null;

/** Draws the frame around the view. @param {string} current The view that is shown. */
export function drawShell(current) {
  const offline = app.connection ? offlineReason(app.connection) : null;
  const waiting = drawWaiting();
  const emergencies = drawEmergencies();
  const escalated = app.session ? resource(totalsPath).data?.problems : null;
  patchChildren(document.getElementById('top'), [
    h('a', { class: 'brand', href: '#/', 'data-key': 'brand' }, icon('checkmark.shield'), 'Picket'),
    h('nav', { 'aria-label': t('Views'), 'data-key': 'nav' }, h('ul', {}, entries.map(([name, iconName, label]) =>
      entry(name, iconName, label, current, { problems: escalated, waiting, emergencies })))),
    h('div', { class: 'top-end', 'data-key': 'end' }, status(offline), settingsLink(current)),
  ]);
  if (shownEntry !== current) {
    shownEntry = current;
    document.querySelector('#top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  drawOffline(offline);
  drawLiveUpdates();
  document.getElementById('skip').textContent = t('Skip to content');
  document.getElementById('read-only-reason').textContent = whyReadOnly() ?? '';
}

function entry(name, iconName, label, current, { problems, waiting, emergencies }) {
  const count = name === 'problems' && problems?.standing;
  return h('li', {}, h('a', { href: name === 'overview' ? '#/' : `#/${name}`, 'aria-current': name === current ? 'page' : null },
    icon(iconName), h('span', {}, t(label)),
    name === 'events' && emergencies ? h('span', {
      class: 'count escalated', id: 'emergency-count', title: tn(emergencies, '{count} open emergency', '{count} open emergencies'),
    }, number(emergencies)) : null,
    count ? h('span', { class: problems.escalated ? 'count escalated' : 'count', id: 'problem-count' }, number(count)) : null,
    name === 'phones' && waiting ? h('span', {
      class: 'count', id: 'waiting-count', title: tn(waiting, '{count} device waiting', '{count} devices waiting'),
    }, number(waiting)) : null));
}

const settingsLink = (current) => h('a', {
  class: 'icon-link', id: 'settings-link', href: '#/settings', 'aria-label': t('Settings'), title: t('Settings'), 'aria-current': current === 'settings' ? 'page' : null,
}, icon('settings'));

const statusTexts = {
  offline: text('Offline'),
  silent: text('Last heard {time}'),
  syncing: text('Syncing'),
  rateLimited: text('Waiting …'),
  error: text('Not up to date'),
  fine: text('Up to date'),
};
const statusIcons = { offline: 'wifi.slash', silent: 'clock.badge.exclamationmark', syncing: 'refresh', rateLimited: 'hourglass', error: 'exclamationmark.triangle', fine: 'checkmark.circle' };

function status(offline) {
  const shown = shownResources();
  const name = pageStatus({
    isOffline: offline !== null,
    isUnheard: app.connection !== null && isSilent(app.connection, app.silence),
    isSyncing: shown.some((entry) => entry.isLoading),
    isRateLimited: app.rateLimitedUntil > Date.now(),
    // If a phone does not answer, this is shown instead of its regions.
    hasError: shown.some((entry) => entry.problem && !entry.isMissing && entry.problem.code !== 'registryUnavailable'),
  });
  return h('span', { class: `status ${name}`, id: 'page-status', 'data-status': name }, icon(statusIcons[name], name === 'syncing' ? 'turning' : ''),
    h('span', {}, t(statusTexts[name], { time: secondsAgo(app.silence) })));
}

const offlineTexts = { noNetwork: text('No internet connection'), unreachable: text('Service unreachable') };

/** The banner keeps its text while it is sliding out. */
function drawOffline(reason) {
  const banner = document.getElementById('offline');
  const wasShown = banner.classList.contains('shown');
  banner.classList.toggle('shown', reason !== null);
  if (reason) {
    const loadedAt = Math.max(0, ...shownResources().map((entry) => entry.loadedAt));
    patchChildren(banner, [h('div', {}, h('p', {}, icon('wifi.slash'), h('strong', {}, t(offlineTexts[reason])),
      loadedAt ? h('span', {}, loadedAge(loadedAt)) : null))]);
  } else if (wasShown) {
    announce(t('Connected again.'));
  }
}

function drawLiveUpdates() {
  const isPaused = app.connection !== null && areLiveUpdatesPaused(app.connection);
  patchChildren(document.getElementById('live-updates'), isPaused
    ? [h('p', { class: 'pill' }, icon('antenna.radiowaves.left.and.right.slash'),
      h('span', { 'aria-hidden': 'true' }, t('Live updates paused')),
      h('span', { class: 'hidden-visually' }, t('Live updates paused. Reconnecting in background.')))]
    : []);
}
