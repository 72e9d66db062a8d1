// A page for developers with every problem as a card: in all languages, light and dark, normal, escalated and expanded. The data comes
// from a debug build of the service; a release build has no such page. No other page links to it.

import { h } from './dom.js';
import { languages } from './languages.js';
import { loaded } from './loaded.js';
import { empty, heading } from './parts.js';
import { speak } from './preferences.js';
import { problemCard } from './problem-card.js';
import { app, changed, resource } from './state.js';
import { t } from './translate.js';

const path = '/dashboard/gallery.json';

// The style sheet is loaded here, because only developers need it.
document.head.append(h('link', { rel: 'stylesheet', href: 'dashboard/gallery.css' }));

export const title = () => t('All problems');

const device = { id: 'anna', name: 'Anna', platform: 'ios', registry: 'app' };

/** The language that the page was last asked to show. */
let asked = null;

/** @param {string[]} parts The parts after `#/gallery`: a language, and optionally the code of a single problem. */
export function view([wantedLanguage, code]) {
  const spoken = languages.some(({ tag }) => tag === wantedLanguage) ? wantedLanguage : 'en';
  const problems = resource(path);
  if (problems.isMissing) return [heading(t('Page not found')), empty(t('There is no page at this address.'))];
  if (asked !== spoken) {
    asked = spoken;
    // The frame around the view has to be redrawn as well.
    speak(spoken).then(changed);
  }
  return [
    heading(title()),
    h('p', { class: 'actions' }, languages.map(({ tag, name }) => h('a', { class: 'button', href: `#/gallery/${tag}`, 'aria-current': tag === spoken ? 'page' : null }, name))),
    loaded(path, problems, (all) => {
      const wanted = all[spoken].filter((problem) => !code || problem.code === code);
      return wanted.map((problem, number) => sample(problem, `${spoken} ${number}`));
    }),
  ];
}

/** Restores the person's preferred language when another view is shown. */
export function left() {
  asked = null;
  speak(null);
}

const titleOf = (key) => `gallery-${key.replaceAll(' ', '-')}`;

/** The cards of a problem: one column for each state, one row for each theme. */
const sample = (problem, key) => h('section', { class: 'gallery', 'data-key': key, 'data-code': problem.code, 'aria-labelledby': titleOf(key) },
  h('h2', { id: titleOf(key) }, problem.code),
  ['light', 'dark'].map((theme) => h('div', { class: 'gallery-row', 'data-theme': theme },
    ['normal', 'escalated', 'expanded'].map((state) => card(problem, `${key} ${theme} ${state}`, state)))));

function card(problem, key, state) {
  const isEscalated = state === 'escalated';
  const details = `details gallery ${key}`;
  if (state === 'expanded' && !app.gallery?.has(key)) {
    // The details are opened only once, so that they stay closed after the person closes them.
    (app.gallery ??= new Set()).add(key);
    app.open.add(details);
  }
  const standing = {
    id: key, source: 'registry/anna', consecutiveFailures: isEscalated ? 3 : 1, isEscalated, firstAt: '2026-05-01T10:00:00Z', lastAt: '2026-05-01T10:05:00Z',
  };
  return problemCard({ key: `gallery ${key}`, problem, standing, device, onRetry: changed, onDismiss: changed, level: 3 });
}
