// Starts the page and draws it. The address determines the view, and the state its content.

import { loadFile, observeRequests, request, RequestFailed } from './api.js';
import { h, insertIcons, patchChildren } from './dom.js';
import { emergencyTitle } from './emergencies.js';
import { lazyViews } from './lazy-views.js';
import { liveUpdates } from './live.js';
import { empty, heading } from './parts.js';
import { recordStep } from './repair-progress.js';
import { language, loadLanguage, preferences, syncPreferences } from './preferences.js';
import { askToSignIn, onSession, startSession } from './session.js';
import { onPreference } from './settings.js';
import { drawShell } from './shell.js';
import { app, beginDrawing, changed, clearSignInProblems, giveFocus, onDraw, reload } from './state.js';
import { t } from './translate.js';

/**
 * The modules of the views, each loaded when it is first shown. A view has `title(parts)` and `view(parts)`. A view that manages content of
 * its own also has `shown(parts)`, called after each drawing, and `left()`, called when another view replaces it.
 */
const viewOf = lazyViews({
  overview: () => import('./overview.js'),
  map: () => import('./map.js'),
  health: () => import('./health.js'),
  events: () => import('./events.js'),
  phones: () => import('./phones.js'),
  problems: () => import('./problems.js'),
  sinks: () => import('./sinks.js'),
  settings: () => import('./settings.js'),
  gallery: () => import('./gallery.js'),
});

/** The current view. */
let current = null;

/** Whether a resource is about the registrations of phones. */
const isOfRegistrations = (path) => path.includes('/health') || path.includes('/registry');

/** The resources to reload after a notice from the service. */
const affected = {
  problem: (path) => path.startsWith('/v1/problems') || path.startsWith('/v1/status'),
  health: isOfRegistrations,
  repair: (path) => isOfRegistrations(path) || path.includes('/repairs'),
  sink: (path) => path.startsWith('/v1/sinks'),
  // A phone should register other geofences when these change.
  geofences: (path) => path.startsWith('/v1/geofences') || path.startsWith('/v1/status') || isOfRegistrations(path),
  devices: (path) => /^\/v1\/(devices|waiting-devices|status|health)/.test(path),
  device: (path) => path.startsWith('/v1/waiting-devices'),
  // An alarm is an event. Its acknowledgment is a notice of the same name.
  alarm: (path) => path.startsWith('/v1/alarms') || affectedByEvents(path),
};
/** Resources that events affect. A list that ends at a certain moment is not reloaded for each event. */
const affectedByEvents = (path) => path.startsWith('/v1/status') || /^\/v1\/(geofences\/[^?]*\/devices|devices\/[^/?]+$)/.test(path)
  || /^\/v1\/(events|visits)\b(?!.*\buntil=)/.test(path);

/** Milliseconds for which notices are collected before they are handled together. */
const noticeDelay = 150;
/** The minimum number of milliseconds between two reloads while many notices arrive. */
const noticeInterval = 1000;
/** Milliseconds after which the page reloads without a notice, because nothing reports when a phone loses a region. */
const lookInterval = 60_000;

function draw() {
  const page = document.documentElement;
  // Setting an attribute to the same value would still cause work for the browser.
  if (page.lang !== language()) page.lang = language();
  if (page.dataset.theme !== preferences().theme) page.dataset.theme = preferences().theme;
  app.connection = live.state;
  app.silence = live.silence;
  beginDrawing();
  const [name = 'overview', ...parts] = app.route;
  // Nothing can be loaded before the person is signed in.
  if (app.session) {
    const view = viewOf(name) ?? notFound;
    if (current !== view) current?.left?.();
    current = view;
    const content = view.view(parts);
    patchChildren(document.getElementById('main'), content.flat(Infinity).filter(Boolean));
    const title = `${emergencyTitle()}${view.title(parts)} – Picket`;
    if (document.title !== title) document.title = title;
    view.shown?.(parts);
  }
  drawShell(name);
  giveFocus();
}

const notFound = {
  title: () => t('Page not found'),
  view: () => [heading(t('Page not found')), empty(t('There is no page at this address.')), h('p', {}, h('a', { href: '#/' }, t('Overview')))],
};

/** A decoded part of the address; the part itself if its encoding is invalid. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function readAddress() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  app.route = path.split('/').filter(Boolean).map(decoded);
  app.query = new URLSearchParams(query);
}

const pending = new Set();
let answeredAt = -Infinity;
const live = liveUpdates({
  onNotice(topic) {
    if (pending.size === 0) {
      setTimeout(() => {
        const wanted = [...pending].map((name) => affected[name] ?? affectedByEvents);
        pending.clear();
        answeredAt = performance.now();
        reload((path) => wanted.some((isAffected) => isAffected(path)));
      }, Math.max(noticeDelay, noticeInterval - (performance.now() - answeredAt)));
    }
    pending.add(topic);
  },
  onRepairStep: recordStep,
  onReload() {
    viewOf.retry();
    loadIcons();
    reload();
  },
  onPoll: () => (app.session ? reload() : startSession(begin)),
  onChange: changed,
});

/** When the browser last lost the network. Responses to requests that began before that do not count. */
let networkLostAt = 0;
window.addEventListener('offline', () => { networkLostAt = Date.now(); });

observeRequests({
  answered(begun) {
    live.heard();
    if (begun > networkLostAt) live.send('answered');
  },
  timedOut(begun) {
    // If something else has arrived since, the service is only slow.
    if (live.heardAt <= begun) live.send('unreachable');
  },
  unreachable: () => live.send('unreachable'),
  signInNeeded: () => {
    live.send('stop');
    askToSignIn();
  },
  rateLimited: (seconds) => {
    app.rateLimitedUntil = Date.now() + seconds * 1000;
    setTimeout(() => reload(), seconds * 1000);
  },
});

// The page must not appear in English first.
await loadLanguage();

onDraw(draw);
onSession(begin);

/** Starts to follow the service after a sign-in. */
function begin() {
  clearSignInProblems();
  live.send('start');
  syncPreferences(request).then(changed);
  reload();
}

onPreference((name) => {
  changed();
  syncPreferences(request);
  // The service's texts have to be loaded in the new language.
  if (name === 'language') reload();
});

window.addEventListener('hashchange', () => {
  const before = app.route.join('/');
  readAddress();
  draw();
  // Only the filter after the question mark has changed, so the scroll position and the focus stay.
  if (before === app.route.join('/')) return;
  window.scrollTo(0, 0);
  document.getElementById('view-title')?.focus({ preventScroll: true });
});

// The fragment of the address names the view, so this link must not change it.
document.getElementById('skip').onclick = (event) => {
  event.preventDefault();
  document.getElementById('main').focus();
};

// Redraw regularly, because ages increase.
setInterval(changed, 15_000);
setInterval(() => { if (!document.hidden && app.session) reload(); }, lookInterval);
document.addEventListener('visibilitychange', () => { if (!document.hidden && app.session) reload(); });

let areIconsLoaded = false;

/** Loads the icons. If that fails, it is tried again when the service is reached. */
async function loadIcons() {
  if (areIconsLoaded) return;
  areIconsLoaded = true;
  try {
    insertIcons(await loadFile('icons.svg'));
  } catch (failure) {
    if (!(failure instanceof RequestFailed)) throw failure;
    areIconsLoaded = false;
  }
}

loadIcons();
readAddress();
changed();
startSession(begin);
