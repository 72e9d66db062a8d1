// The messages that a sink's destination refused permanently. They are sent again or discarded.

import { request } from './api.js';
import { h } from './dom.js';
import { sentenceOf } from './event-words.js';
import { loaded } from './loaded.js';
import { button, empty, since } from './parts.js';
import { operationProblem } from './problem-card.js';
import { operation, reload, resource, run } from './state.js';
import { t } from './translate.js';

/** @param {object} sink @param {string} path The address of the sink. */
export function rejectedMessages(sink, path) {
  const listPath = `${path}/parked?limit=100`;
  const key = `rejected ${sink.id}`;
  const list = resource(listPath);
  const change = (method, suffix, sequence) => run(key, async () => {
    await request(method, `${path}/parked${suffix}${sequence === undefined ? '' : `?sequence=${sequence}`}`);
    await reload((address) => address.startsWith('/v1/sinks') || address.startsWith('/v1/problems') || address.startsWith('/v1/status'));
  }, 'saved');
  const { isRunning } = operation(key);
  const actions = (sequence, isAll) => h('span', { class: 'actions' },
    button(isAll ? t('Send All Again') : t('Send Again'), () => change('POST', ':resend', sequence), { isWrite: true, isRunning, key: 'resend' }),
    button(isAll ? t('Discard All') : t('Discard'), () => change('DELETE', '', sequence), { kind: 'danger', isWrite: true, isRunning, key: 'discard' }));
  return h('section', { id: 'sink-rejected', 'data-key': key, 'aria-labelledby': 'sink-rejected-title' },
    h('h3', { id: 'sink-rejected-title' }, t('Rejected by ‘{sink}’', { sink: sink.id })),
    h('p', { class: 'quiet' },
      t('The destination rejected these messages, and they are not retried automatically. If the settings of the sink are the cause, correct them. Then send the messages again, or discard them.')),
    operationProblem(key),
    loaded(listPath, list, ({ parked }) => (parked.length === 0 ? empty(t('No rejected messages.')) : [
      h('ul', { class: 'list flat' }, parked.map((message) => h('li', { class: 'row', 'data-key': message.sequence },
        h('span', { class: 'row-main' },
          h('span', { class: 'row-title' }, message.event ? sentenceOf(message.event) : t('An event that was erased')),
          h('span', { class: 'quiet' }, since(message.parkedAt), ' · ', message.problem.details ?? message.problem.message)),
        message.isResent ? h('span', { class: 'row-state quiet' }, t('Being sent again')) : actions(message.sequence, false)))),
      parked.length > 1 ? actions(undefined, true) : null,
    ])),
    h('p', { class: 'actions' },
      h('a', { class: 'button', href: `#/sinks/${encodeURIComponent(sink.id)}/edit`, 'aria-label': t('Edit {sink}', { sink: sink.id }) }, t('Edit')),
      h('a', { class: 'button', href: '#/sinks' }, t('Close'))));
}
