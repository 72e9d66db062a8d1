// The frame around the views: header, navigation, page status, the offline banner, and the sign for paused live updates.

import { areLiveUpdatesPaused, isSilent, offlineReason, pageStatus } from './connection.js';
import { h, icon, patchChildren } from './dom.js';
import { drawEmergencies } from './emergencies.js';
import { loadedAge, number, secondsAgo } from './parts.js';
import { app, resource, shownResources, whyReadOnly } from './state.js';
import { t } from './translate.js';
import { drawWaiting } from './waiting.js';

/** The name and icon of each view in the navigation. */
const entries = [
  ['overview', 'overview'], ['map', 'map'], ['events', 'events'], ['phones', 'iphone'], ['health', 'checkmark.shield'],
  ['problems', 'exclamationmark.triangle'], ['sinks', 'tray.and.arrow.up'],
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
    h('nav', { 'aria-label': t('nav.label'), 'data-key': 'nav' }, h('ul', {}, entries.map(([name, iconName]) => entry(name, iconName, current, { problems: escalated, waiting, emergencies })))),
    h('div', { class: 'top-end', 'data-key': 'end' }, status(offline), settingsLink(current)),
  ]);
  if (shownEntry !== current) {
    shownEntry = current;
    document.querySelector('#top nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
  drawOffline(offline);
  drawLiveUpdates();
  document.getElementById('skip').textContent = t('skip');
  document.getElementById('read-only-reason').textContent = whyReadOnly() ?? '';
}

function entry(name, iconName, current, { problems, waiting, emergencies }) {
  const count = name === 'problems' && problems?.standing;
  return h('li', {}, h('a', { href: name === 'overview' ? '#/' : `#/${name}`, 'aria-current': name === current ? 'page' : null },
    icon(iconName), h('span', {}, t(`nav.${name}`)),
    name === 'events' && emergencies ? h('span', { class: 'count escalated', id: 'emergency-count', title: t('emergency.count', { count: emergencies }) }, number(emergencies)) : null,
    count ? h('span', { class: problems.escalated ? 'count escalated' : 'count', id: 'problem-count' }, number(count)) : null,
    name === 'phones' && waiting ? h('span', { class: 'count', id: 'waiting-count', title: t('waiting.count', { count: waiting }) }, number(waiting)) : null));
}

const settingsLink = (current) => h('a', {
  class: 'icon-link', id: 'settings-link', href: '#/settings', 'aria-label': t('nav.settings'), title: t('nav.settings'), 'aria-current': current === 'settings' ? 'page' : null,
}, icon('settings'));

const statusIcons = { offline: 'wifi.slash', silent: 'clock.badge.exclamationmark', syncing: 'refresh', rateLimited: 'hourglass', error: 'exclamationmark.triangle', fine: 'checkmark.circle' };

function status(offline) {
  const shown = shownResources();
  const name = pageStatus({
    isOffline: offline !== null,
    isUnheard: app.connection !== null && isSilent(app.connection, app.silence),
    isSyncing: shown.some((entry) => entry.isLoading),
    isRateLimited: app.rateLimitedUntil > Date.now(),
    // If a phone gives no answer, that is shown in place of its regions.
    hasError: shown.some((entry) => entry.problem && !entry.isMissing && entry.problem.code !== 'registryUnavailable'),
  });
  return h('span', { class: `status ${name}`, id: 'page-status', 'data-status': name }, icon(statusIcons[name], name === 'syncing' ? 'turning' : ''), h('span', {}, t(`status.${name}`, { time: secondsAgo(app.silence) })));
}

/** The banner keeps its text while it is sliding out. */
function drawOffline(reason) {
  const banner = document.getElementById('offline');
  const wasShown = banner.classList.contains('shown');
  banner.classList.toggle('shown', reason !== null);
  if (reason) {
    const loadedAt = Math.max(0, ...shownResources().map((entry) => entry.loadedAt));
    patchChildren(banner, [h('div', {}, h('p', {}, icon('wifi.slash'), h('strong', {}, t(`offline.${reason}`)),
      loadedAt ? h('span', {}, loadedAge(loadedAt)) : null))]);
  } else if (wasShown) {
    announce(t('offline.over'));
  }
}

function drawLiveUpdates() {
  const isPaused = app.connection !== null && areLiveUpdatesPaused(app.connection);
  patchChildren(document.getElementById('live-updates'), isPaused
    ? [h('p', { class: 'pill' }, icon('antenna.radiowaves.left.and.right.slash'), h('span', { 'aria-hidden': 'true' }, t('live.paused')), h('span', { class: 'hidden-visually' }, t('live.paused.spoken')))]
    : []);
}
