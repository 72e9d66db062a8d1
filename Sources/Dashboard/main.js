// Starts the page and draws it: the address says which view, the state what it shows.

import { observeRequests, request } from './api.js';
import { h, loadIcons, patchChildren } from './dom.js';
import * as health from './health.js';
import { liveUpdates } from './live.js';
import * as overview from './overview.js';
import { empty, heading } from './parts.js';
import { language, preferences, syncPreferences } from './preferences.js';
import * as problems from './problems.js';
import { askToSignIn, onSession, startSession } from './session.js';
import * as settings from './settings.js';
import { drawShell } from './shell.js';
import * as sinks from './sinks.js';
import { app, beginDrawing, changed, clearSignInProblems, onDraw, reload, reloadInLanguage } from './state.js';
import { t } from './translate.js';

const views = { overview, health, problems, sinks, settings };

/** What to load again when the service tells of a change. */
const affected = {
  problem: (path) => path.startsWith('/v1/problems') || path.startsWith('/v1/status'),
  health: (path) => path.includes('/health') || path.includes('/registry'),
  repair: (path) => path.includes('/health') || path.includes('/registry') || path.includes('/repairs'),
  sink: (path) => path.startsWith('/v1/sinks'),
};
const affectedByEvents = (path) => path.startsWith('/v1/status');

/** Notices within so many milliseconds are answered together. */
const noticeDelay = 150;
/** Milliseconds after which the page looks again although the stream has told nothing: nobody tells when a phone forgets a region. */
const lookInterval = 60_000;

function draw() {
  document.documentElement.lang = language();
  document.documentElement.dataset.theme = preferences().theme;
  app.connection = live.state;
  beginDrawing();
  const [name = 'overview', ...parts] = app.route;
  const view = views[name];
  // Before anybody is signed in nothing can be loaded.
  if (app.session) {
    const content = view ? view.view(parts) : notFound();
    patchChildren(document.getElementById('main'), content.flat(Infinity).filter(Boolean));
    document.title = `${view ? view.title(parts) : t('notFound')} – Picket`;
  }
  drawShell(name);
}

const notFound = () => [heading(t('notFound')), empty(t('notFound.explanation')), h('p', {}, h('a', { href: '#/' }, t('nav.overview')))];

function readAddress() {
  app.route = location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
}

const pending = new Set();
const live = liveUpdates({
  onNotice(topic) {
    if (pending.size === 0) {
      setTimeout(() => {
        const wanted = [...pending].map((name) => affected[name] ?? affectedByEvents);
        pending.clear();
        reload((path) => wanted.some((isAffected) => isAffected(path)));
      }, noticeDelay);
    }
    pending.add(topic);
  },
  onReload: () => reload(),
  onPoll: () => (app.session ? reload() : startSession(begin)),
  onChange: changed,
});

observeRequests({
  answered: () => live.send('answered'),
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

onDraw(draw);
onSession(begin);

/** Begins to follow the service for whoever has signed in. */
function begin() {
  clearSignInProblems();
  live.send('start');
  syncPreferences(request).then(changed);
  reload();
}

settings.onPreference((name) => {
  changed();
  syncPreferences(request);
  if (name === 'language') reloadInLanguage();
});

window.addEventListener('hashchange', () => {
  readAddress();
  draw();
  window.scrollTo(0, 0);
  document.getElementById('view-title')?.focus({ preventScroll: true });
});

// The address names the view, so that this link must not change it.
document.getElementById('skip').onclick = (event) => {
  event.preventDefault();
  document.getElementById('main').focus();
};

// Ages are drawn anew while they grow.
setInterval(changed, 15_000);
setInterval(() => { if (!document.hidden && app.session) reload(); }, lookInterval);
document.addEventListener('visibilitychange', () => { if (!document.hidden && app.session) reload(); });

loadIcons();
readAddress();
changed();
startSession(begin);
