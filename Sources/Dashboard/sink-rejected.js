// The messages that a sink's destination refused for good: they are sent again or discarded.

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
    button(t(isAll ? 'sink.rejected.resendAll' : 'sink.rejected.resend'), () => change('POST', ':resend', sequence), { isWrite: true, isRunning, key: 'resend' }),
    button(t(isAll ? 'sink.rejected.discardAll' : 'sink.rejected.discard'), () => change('DELETE', '', sequence), { kind: 'danger', isWrite: true, isRunning, key: 'discard' }));
  return h('section', { id: 'sink-rejected', 'data-key': key, 'aria-labelledby': 'sink-rejected-title' },
    h('h3', { id: 'sink-rejected-title' }, t('sink.rejected.title', { sink: sink.id })),
    h('p', { class: 'quiet' }, t('sink.rejected.about')),
    operationProblem(key),
    loaded(listPath, list, ({ parked }) => (parked.length === 0 ? empty(t('sink.rejected.none')) : [
      h('ul', { class: 'list flat' }, parked.map((message) => h('li', { class: 'row', 'data-key': message.sequence },
        h('span', { class: 'row-main' },
          h('span', { class: 'row-title' }, message.event ? sentenceOf(message.event) : t('sink.rejected.erased')),
          h('span', { class: 'quiet' }, since(message.parkedAt), ' · ', message.problem.details ?? message.problem.message)),
        message.isResent ? h('span', { class: 'row-state quiet' }, t('sink.rejected.isResent')) : actions(message.sequence, false)))),
      parked.length > 1 ? actions(undefined, true) : null,
    ])),
    h('p', { class: 'actions' },
      h('a', { class: 'button', href: `#/sinks/${encodeURIComponent(sink.id)}/edit`, 'aria-label': t('sink.edit.name', { sink: sink.id }) }, t('sink.edit.action')),
      h('a', { class: 'button', href: '#/sinks' }, t('close'))));
}
