// The list of devices that wait to be accepted.

import { request } from './api.js';
import { h } from './dom.js';
import { loaded } from './loaded.js';
import { button, empty, section, since } from './parts.js';
import { operationProblem } from './problem-card.js';
import { announce } from './shell.js';
import { app, load, operation, resource, run } from './state.js';
import { t } from './translate.js';
import { waitingPath } from './waiting.js';

/** The section, for people who may accept devices. */
export function waitingSection() {
  if (app.session?.role !== 'admin' || app.session.isOpen) return null;
  return section('waiting', t('waiting.title'), loaded(waitingPath, resource(waitingPath), content), t('waiting.footer'));
}

const content = ({ waiting, refused }) => [
  waiting.length ? h('ul', { class: 'list', id: 'waiting-list' }, waiting.map(row)) : empty(t('waiting.none')),
  refused.length ? h('details', { class: 'card', id: 'refused-list' },
    h('summary', {}, t('waiting.refusedList', { count: refused.length })),
    h('ul', { class: 'list flat' }, refused.map(refusedRow))) : null,
];

function row(device) {
  const { deviceId: id, protocols, count, address, hasToken, isKnown, lastAt } = device;
  return h('li', { class: 'row', 'data-key': id },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, id)),
      h('span', { class: 'quiet' }, [
        isKnown ? t('waiting.known') : null, protocols.map((name) => t(`waiting.protocol.${name}`)).join(', '), t(hasToken ? 'waiting.badToken' : 'waiting.noToken'),
      ].filter(Boolean).join(' · ')),
      h('span', { class: 'row-facts' }, h('span', {}, t('waiting.from', { address })), h('span', {}, t('waiting.requests', { count })), since(lastAt))),
    h('span', { class: 'actions' },
      button(t('waiting.accept'), () => { location.hash = `#/phones/add/${encodeURIComponent(id)}`; }, { kind: 'primary', isWrite: true, name: t('waiting.accept.name', { name: id }), key: 'accept' }),
      button(t('waiting.refuse'), () => refuse(id), { isWrite: true, isRunning: operation(`refuse ${id}`).isRunning, name: t('waiting.refuse.name', { name: id }), key: 'refuse' })),
    operationProblem(`refuse ${id}`, () => refuse(id)));
}

const refusedRow = ({ deviceId: id, refusedAt }) => h('li', { class: 'row', 'data-key': id },
  h('span', { class: 'row-main' }, h('span', { class: 'row-title' }, h('bdi', {}, id)), h('span', { class: 'row-facts' }, since(refusedAt))),
  button(t('waiting.readmit'), () => readmit(id), { isWrite: true, isRunning: operation(`readmit ${id}`).isRunning, name: t('waiting.readmit.name', { name: id }), key: 'readmit' }),
  operationProblem(`readmit ${id}`, () => readmit(id)));

async function refuse(id) {
  const done = await run(`refuse ${id}`, () => change(id, 'refuse'), 'saved');
  if (done !== undefined) announce(t('waiting.refused', { name: id }));
}

const readmit = (id) => run(`readmit ${id}`, () => change(id, 'readmit'), 'saved');

async function change(id, verb) {
  await request('POST', `${waitingPath}/${encodeURIComponent(id)}:${verb}`);
  await load(waitingPath);
}
