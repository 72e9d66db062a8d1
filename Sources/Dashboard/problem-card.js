// A problem as a card: what happened, details on request, the recovery action, and a way to hide the card.

import { h, icon } from './dom.js';
import { button, command, deviceName, since } from './parts.js';
import { app, clearOperation, operation, toggle } from './state.js';
import { recoveryOf, reportKey } from './recovery.js';
import { t } from './translate.js';

/**
 * @param {object} card
 * @param {string} card.key The key of the card on the page.
 * @param {object} card.problem A problem in the form of the service.
 * @param {object} [card.standing] The journal entry, for a problem from the journal.
 * @param {{name: string, registry?: string, platform?: string}} [card.device] The device that the problem concerns.
 * @param {() => void} [card.onRetry] Repeats what has failed.
 * @param {() => void} [card.onDismiss] Hides the card.
 * @param {2|3} [card.level] The level of the heading.
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

/** The card of a failed operation; null if it has not failed. @param {string} key @param {() => void} [onRetry] */
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

/** The support contact, and a button to download the report. */
function support({ contact, download }, key) {
  const { isRunning, problem } = operation(reportKey(key));
  return [
    contact ? h('p', {}, t('recovery.contact'), ' ', h('a', { href: contact.startsWith('https://') ? contact : `mailto:${contact}`, 'data-key': 'contact' }, contact)) : null,
    h('p', {}, button(t('recovery.report'), download, { iconName: 'arrow.down.doc', key: 'report', isRunning })),
    problem ? h('p', { class: 'field-error', role: 'alert' }, problem.message) : null,
  ];
}
