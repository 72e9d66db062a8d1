// The list of devices that wait to be accepted.

import { request } from './api.js';
import { h } from './dom.js';
import { loaded } from './loaded.js';
import { button, empty, section, since } from './parts.js';
import { operationProblem } from './problem-card.js';
import { announce } from './shell.js';
import { app, load, operation, resource, run } from './state.js';
import { t, tn } from './translate.js';
import { waitingPath } from './waiting.js';

/** The section, for people who may accept devices. */
export function waitingSection() {
  if (app.session?.role !== 'admin' || app.session.isOpen) return null;
  return section('waiting', t('Waiting to be accepted'), loaded(waitingPath, resource(waitingPath), content),
    t('These devices report without a token, or with an invalid one. They are not accepted, and their positions are not kept. The list is cleared when the service restarts.'));
}

const content = ({ waiting, refused }) => [
  waiting.length ? h('ul', { class: 'list', id: 'waiting-list' }, waiting.map(row)) : empty(t('No devices are waiting.')),
  refused.length ? h('details', { class: 'card', id: 'refused-list' },
    h('summary', {}, tn(refused.length, '{count} refused device', '{count} refused devices')),
    h('ul', { class: 'list flat' }, refused.map(refusedRow))) : null,
];

/** The apps that use a protocol. */
const protocolNames = { osmand: 'OsmAnd, Traccar', owntracks: 'OwnTracks', positions: 'Picket' };

function row(device) {
  const { deviceId: id, protocols, count, address, hasToken, isKnown, lastAt } = device;
  return h('li', { class: 'row', 'data-key': id },
    h('span', { class: 'row-main' },
      h('span', { class: 'row-title' }, h('bdi', {}, id)),
      h('span', { class: 'quiet' }, [
        isKnown ? t('Known device') : null, protocols.map((name) => protocolNames[name]).join(', '), hasToken ? t('with an invalid token') : t('without a token'),
      ].filter(Boolean).join(' · ')),
      h('span', { class: 'row-facts' }, h('span', {}, t('from {address}', { address })),
        h('span', {}, tn(count, '{count} request', '{count} requests')), since(lastAt))),
    h('span', { class: 'actions' },
      button(t('Accept'), () => { location.hash = `#/phones/add/${encodeURIComponent(id)}`; }, {
        kind: 'primary', isWrite: true, name: t('Accept {name}', { name: id }), key: 'accept',
      }),
      button(t('Refuse'), () => refuse(id), {
        isWrite: true, isRunning: operation(`refuse ${id}`).isRunning, name: t('Refuse {name}', { name: id }), key: 'refuse',
      })),
    operationProblem(`refuse ${id}`, () => refuse(id)));
}

const refusedRow = ({ deviceId: id, refusedAt }) => h('li', { class: 'row', 'data-key': id },
  h('span', { class: 'row-main' }, h('span', { class: 'row-title' }, h('bdi', {}, id)), h('span', { class: 'row-facts' }, since(refusedAt))),
  button(t('Show Again'), () => readmit(id), {
    isWrite: true, isRunning: operation(`readmit ${id}`).isRunning, name: t('Show {name} again when it reports', { name: id }), key: 'readmit',
  }),
  operationProblem(`readmit ${id}`, () => readmit(id)));

async function refuse(id) {
  const done = await run(`refuse ${id}`, () => change(id, 'refuse'), 'saved');
  if (done !== undefined) announce(t('{name} was refused, and is not shown again.', { name: id }));
}

const readmit = (id) => run(`readmit ${id}`, () => change(id, 'readmit'), 'saved');

async function change(id, verb) {
  await request('POST', `${waitingPath}/${encodeURIComponent(id)}:${verb}`);
  await load(waitingPath);
}
