// A problem as a card: what happened, details on request, the recovery action, and a way to hide the card.

import { h, icon } from './dom.js';
import { button, deviceName, since } from './parts.js';
import { app, clearOperation, operation, toggle } from './state.js';
import { recoveryOf, reportKey, retryKey } from './recovery.js';
import { t, tn } from './translate.js';

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
  return h('article', { class: classes.filter(Boolean).join(' '), 'data-key': key, 'data-code': problem.code, id, 'aria-labelledby': `${id}-title` },
    icon(problem.icon, 'problem-icon'),
    h('div', { class: 'problem-body' },
      h(`h${level}`, { class: 'problem-title', id: `${id}-title` },
        h('button', { type: 'button', class: 'problem-toggle', 'aria-expanded': String(isOpen), 'aria-controls': `${id}-details`, onclick: () => toggle(detailsKey) },
          `${problem.title}\u00a0`, icon('chevron', 'chevron'))),
      h('p', { class: 'problem-message' }, problem.message),
      standing ? meta(standing, device) : null,
      h('div', { class: isOpen ? 'fold open' : 'fold', id: `${id}-details` }, h('div', {}, details(problem, standing))),
      h('p', { class: 'actions' }, recoveryButton(recovery, key, { kind: 'primary' })),
      recoverySteps(recovery, key)),
    onDismiss ? button('', onDismiss, {
      iconName: 'xmark', kind: 'plain close', isWrite: Boolean(standing), name: t('Dismiss: {title}', { title: problem.title }),
    }) : null);
}

/** The card of a failed operation; null if it has not failed. @param {string} key @param {() => void} [onRetry] */
export function operationProblem(key, onRetry) {
  const { problem } = operation(key);
  return problem && problemCard({ key: `operation ${key}`, problem, onRetry, onDismiss: () => clearOperation(key) });
}

function meta(standing, device) {
  return h('p', { class: 'meta' },
    device ? [deviceName(device.name, device.registry), ' · '] : null,
    tn(standing.consecutiveFailures, '{count} failure', '{count} failures in a row'), ' · ', since(standing.lastAt),
    standing.isEscalated ? h('strong', {}, ` · ${t('Escalated')}`) : null);
}

function details(problem, standing) {
  const rows = [
    problem.details && [t('Details'), problem.details],
    standing && [t('Source'), standing.source],
    standing && [t('First failure'), since(standing.firstAt)],
    standing && [t('Last failure'), since(standing.lastAt)],
    [t('Code'), problem.code],
  ];
  return h('dl', { class: 'facts' }, rows.filter(Boolean).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/**
 * The button or the link of a recovery action.
 *
 * @param {import('./recovery.js').Recovery} recovery
 * @param {string} key The key of the card or the row.
 * @param {{kind?: string, name?: string}} [options] `name`: the text for screen readers instead of the label.
 */
export function recoveryButton(recovery, key, { kind = '', name } = {}) {
  if (recovery.href) return h('a', { class: `button ${kind}`.trim(), href: recovery.href, onclick: recovery.action, 'aria-label': name, 'data-key': 'action' }, recovery.label);
  const isRunning = operation(retryKey(key)).isRunning;
  const action = button(recovery.label, recovery.action, { kind, isWrite: recovery.isWrite, isRunning, name, key: 'action' });
  if (recovery.steps) action.setAttribute('aria-expanded', String(app.open.has(recovery.stepsKey)));
  return action;
}

/** What a recovery action shows: its steps while they are open, and why it failed. @param {import('./recovery.js').Recovery} recovery */
export function recoverySteps(recovery, key) {
  const failed = operation(retryKey(key)).problem;
  return [steps(recovery, key), failed ? h('p', { class: 'field-error', role: 'alert' }, failed.message) : null];
}

function steps(recovery, key) {
  if (!recovery.steps || !app.open.has(recovery.stepsKey)) return null;
  return h('div', { class: 'steps' },
    recovery.steps.length > 1 ? h('ol', {}, recovery.steps.map((step) => h('li', {}, step))) : h('p', {}, recovery.steps[0]),
    recovery.download ? support(recovery, key) : null,
    h('p', {}, button(recovery.download ? t('Close') : t('Done'), recovery.onClose, { key: 'done' })));
}

/** The support contact, and a button to download the report. */
function support({ contact, download }, key) {
  const { isRunning, problem } = operation(reportKey(key));
  return [
    contact ? h('p', {}, t('Contact:'), ' ',
      h('a', { href: contact.startsWith('https://') ? contact : `mailto:${contact}`, 'data-key': 'contact' }, contact)) : null,
    h('p', {}, button(t('Download Support Bundle'), download, { iconName: 'arrow.down.doc', key: 'report', isRunning })),
    problem ? h('p', { class: 'field-error', role: 'alert' }, problem.message) : null,
  ];
}
