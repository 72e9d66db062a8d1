// The open problems, escalated ones first.

import { request } from './api.js';
import { h } from './dom.js';
import { loaded } from './loaded.js';
import { empty, heading } from './parts.js';
import { problemCard } from './problem-card.js';
import { app, reload, resource, run, operation } from './state.js';
import { t } from './translate.js';
import { devicesPath, deviceOf } from './devices.js';

export const problemsPath = '/v1/problems?limit=200';

export const title = () => t('Problems');

/** That there are no problems, as far as the person may know. */
export const noProblems = () => (app.session?.isRestricted ? t('Your devices have no open problems.') : t('No open problems.'));

export function view() {
  const problems = resource(problemsPath);
  return [
    heading(title()),
    loaded(problemsPath, problems, (data) => (data.problems.length ? problemList(data.problems) : empty(noProblems()))),
  ];
}

/**
 * @param {object[]} problems The problems in the order of the journal, oldest first.
 * @param {number} [most] The maximum number of problems.
 * @param {2|3} [level] The level of their headings.
 */
export function problemList(problems, most = Infinity, level = 2) {
  resource(devicesPath);
  const ordered = [...problems].sort((a, b) => Number(b.isEscalated) - Number(a.isEscalated) || b.lastAt.localeCompare(a.lastAt));
  return h('div', { class: 'stack', id: 'problem-list', 'data-key': 'problem-list' }, ordered.slice(0, most).map((standing) => card(standing, level)));
}

function card(standing, level) {
  const id = standing.deviceId;
  const failure = operation(`dismiss ${standing.id}`).problem;
  return [
    problemCard({
      key: standing.id, problem: standing.problem, standing, level,
      device: id ? deviceOf(id) : undefined,
      onDismiss: () => dismiss(standing),
    }),
    failure ? h('p', { class: 'field-error', role: 'alert', 'data-key': `dismiss ${standing.id}` }, failure.message) : null,
  ];
}

async function dismiss(standing) {
  const cards = [...document.querySelectorAll('#problem-list > .problem')];
  const next = cards[cards.findIndex((other) => other.dataset.key === standing.id) + 1]?.querySelector('.problem-toggle');
  const done = await run(`dismiss ${standing.id}`, () => request('POST', `/v1/problems/${standing.id}:dismiss`));
  if (done === undefined) return;
  await reload((path) => path.startsWith('/v1/problems'));
  (next ?? document.getElementById('view-title'))?.focus();
}
