// A problem as a card within the page: what happened, the details on demand, the one thing to do, and a way to hide it.

import { h, icon } from './dom.js';
import { button, command, deviceName, since } from './parts.js';
import { app, clearOperation, operation, toggle } from './state.js';
import { recoveryOf, reportKey } from './recovery.js';
import { t } from './translate.js';

/**
 * @param {object} card
 * @param {string} card.key Names the card on the page.
 * @param {object} card.problem As the service writes problems.
 * @param {object} [card.standing] The journal's entry, for a problem that stands.
 * @param {{name: string, registry?: string, platform?: string}} [card.device] Whom it is about.
 * @param {() => void} [card.onRetry] Repeats what failed.
 * @param {() => void} [card.onDismiss] Hides it.
 * @param {2|3} [card.level] Of its heading.
 */
export function problemCard({ key, problem, standing, device, onRetry, onDismiss, level = 2 }) {
  const id = `problem-${key.replace(/[^A-Za-z0-9_-]+/g, '-')}`;
  const detailsKey = `details ${key}`;
  const isOpen = app.open.has(detailsKey);
  const recovery = recoveryOf({ key, problem, standing, device, onRetry, onDismiss });
  const classes = ['problem', standing?.isEscalated && 'escalated', recovery.kind !== 'dismiss' && 'recovery'];
  const failed = operation(`retry ${key}`).problem;
  return h('article', { class: classes.filter(Boolean).join(' '), 'data-key': key, 'data-code': problem.code, id, 'aria-labelledby': `${id}-title` },
    icon(problem.icon, 'problem-icon'),
    h('div', { class: 'problem-body' },
      h(`h${level}`, { class: 'problem-title', id: `${id}-title` },
        h('button', { type: 'button', class: 'problem-toggle', 'aria-expanded': String(isOpen), 'aria-controls': `${id}-details`, onclick: () => toggle(detailsKey) },
          `${problem.title}\u00a0`, icon('chevron', 'chevron'))),
      h('p', { class: 'problem-message' }, problem.message),
      standing ? meta(standing, device) : null,
      h('div', { class: isOpen ? 'fold open' : 'fold', id: `${id}-details` }, h('div', {}, details(problem, standing))),
      actionOf(recovery, key),
      steps(recovery, key),
      failed ? h('p', { class: 'field-error', role: 'alert' }, failed.message) : null),
    onDismiss ? button('', onDismiss, { iconName: 'xmark', kind: 'plain close', isWrite: Boolean(standing), name: t('problem.dismiss', { title: problem.title }) }) : null);
}

/** The card of an operation that failed; null when it has not. @param {string} key @param {() => void} [onRetry] */
export function operationProblem(key, onRetry) {
  const { problem } = operation(key);
  return problem && problemCard({ key: `operation ${key}`, problem, onRetry, onDismiss: () => clearOperation(key) });
}

function meta(standing, device) {
  return h('p', { class: 'meta' },
    device ? [deviceName(device.name, device.registry), ' · '] : null,
    t('problem.failures', { count: standing.consecutiveFailures }), ' · ', since(standing.lastAt),
    standing.isEscalated ? h('strong', {}, ` · ${t('problem.escalated')}`) : null);
}

function details(problem, standing) {
  const rows = [
    problem.details && [t('problem.details'), problem.details],
    standing && [t('problem.source'), standing.source],
    standing && [t('problem.firstAt'), since(standing.firstAt)],
    standing && [t('problem.lastAt'), since(standing.lastAt)],
    [t('problem.code'), problem.code],
  ];
  return h('dl', { class: 'facts' }, rows.filter(Boolean).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

function actionOf(recovery, key) {
  const isRunning = operation(`retry ${key}`).isRunning;
  if (recovery.href) return h('p', { class: 'actions' }, h('a', { class: 'button primary', href: recovery.href, onclick: recovery.action }, recovery.label));
  const isOpen = recovery.steps ? app.open.has(recovery.stepsKey) : null;
  const action = button(recovery.label, recovery.action, { kind: 'primary', isWrite: recovery.isWrite, isRunning, key: 'action' });
  if (isOpen !== null) action.setAttribute('aria-expanded', String(isOpen));
  return h('p', { class: 'actions' }, action);
}

function steps(recovery, key) {
  if (!recovery.steps || !app.open.has(recovery.stepsKey)) return null;
  return h('div', { class: 'steps' },
    recovery.steps.length > 1 ? h('ol', {}, recovery.steps.map((step) => h('li', {}, step))) : h('p', {}, recovery.steps[0]),
    recovery.download ? support(recovery, key) : null,
    recovery.command ? h('p', {}, t('recovery.command'), ' ', command(recovery.command)) : null,
    h('p', {}, button(t(recovery.download ? 'close' : 'recovery.done'), recovery.onClose, { key: 'done' })));
}

/** Whom to ask, and what to send there. */
function support({ contact, download }, key) {
  const { isRunning, problem } = operation(reportKey(key));
  return [
    contact ? h('p', {}, t('recovery.contact'), ' ', h('a', { href: contact.startsWith('https://') ? contact : `mailto:${contact}`, 'data-key': 'contact' }, contact)) : null,
    h('p', {}, button(t('recovery.report'), download, { iconName: 'arrow.down.doc', key: 'report', isRunning })),
    problem ? h('p', { class: 'field-error', role: 'alert' }, problem.message) : null,
  ];
}
