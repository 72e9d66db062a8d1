// The sinks and their status.

import { request, RequestFailed } from './api.js';
import { askToConfirm, confirmation } from './confirmation.js';
import { h } from './dom.js';
import { loaded } from './loaded.js';
import { button, empty, heading, number, since } from './parts.js';
import { operationProblem } from './problem-card.js';
import { isBeingRemoved, removeLater } from './removal.js';
import { leaveSinkEdit, sinkEditForm } from './sink-edit.js';
import { sinkForm, isFormOpen, openForm } from './sink-form.js';
import { rejectedMessages } from './sink-rejected.js';
import { announce } from './shell.js';
import { kindOf, kindTitle, sinkBadge, sinksPath, stateOf } from './sink-state.js';
import { app, clearFailures, operation, reload, resource, run } from './state.js';
import { t, text } from './translate.js';

export const title = () => t('Sinks');

export const left = leaveSinkEdit;

const isEdit = (part) => ['edit', 'sign-in', 'filter'].includes(part);

/** @param {string[]} parts Nothing, or the id of a sink and `edit`, `sign-in`, `filter` or `rejected`, which is then shown in the sink's card. */
export function view([id, part]) {
  if (!isEdit(part)) leaveSinkEdit();
  if (app.session?.isRestricted) return [heading(title()), empty(t('Your token is restricted to some devices. Sinks concern all devices, so they are not shown.'))];
  const sinks = resource(sinksPath);
  return [
    heading(title(), isFormOpen() ? null : button(t('Add Sink'), openForm, { iconName: 'plus', id: 'add-sink', isWrite: true })),
    sinkForm(),
    loaded(sinksPath, sinks, (data) => {
      const shown = data.sinks.filter((sink) => !isBeingRemoved(pathOf(sink)));
      return shown.length
        ? h('ul', { class: 'stack', id: 'sink-list' }, shown.map((sink) => card(sink, sink.id === id ? part : undefined)))
        : empty(t('No sinks. Events are stored, but not sent anywhere.'));
    }),
  ];
}

const pathOf = (sink) => `${sinksPath}/${encodeURIComponent(sink.id)}`;

function card(sink, part) {
  const removalKey = `remove ${sink.id}`;
  // A test that arrived says nothing about a sink that has failed since.
  const hasArrived = app.open.has(`tested ${sink.id}`) && ['connected', 'paused'].includes(stateOf(sink));
  return h('li', { class: 'card', 'data-key': sink.id, 'data-state': stateOf(sink) },
    h('div', { class: 'card-head' },
      h('div', { class: 'row-main' }, h('h2', { class: 'row-title' }, h('bdi', {}, sink.id)), h('span', { class: 'quiet' }, placeOf(sink))),
      sinkBadge(sink)),
    h('dl', { class: 'facts inline' },
      fact('waiting', t('Waiting'), number(sink.waiting ?? 0)),
      fact('parked', t('Rejected'), number(sink.parked)),
      sink.tooOld ? fact('tooOld', t('Too old'), number(sink.tooOld)) : null,
      fact('delivered', t('Delivered'), number(sink.delivered)),
      fact('last', t('Last delivered'), sink.lastDeliveredAt ? since(sink.lastDeliveredAt) : t('Never'))),
    sink.connection?.problem ? h('p', { class: 'warning-text' }, sink.connection.problem.message) : null,
    hasArrived ? h('p', { class: 'good-text', role: 'status' }, t('The test arrived.')) : null,
    verbs.map((verb) => operationProblem(`${verb} ${sink.id}`, verb === 'test' ? () => test(sink) : undefined)),
    isEdit(part) ? sinkEditForm(sink, pathOf(sink), part)
      : part === 'rejected' ? rejectedMessages(sink, pathOf(sink))
        : app.open.has(removalKey) ? removalQuestion(sink, removalKey) : actions(sink, removalKey));
}

const fact = (name, label, value) => h('div', { 'data-fact': name }, h('dt', {}, label), h('dd', {}, value));

/** The kind and the target of a sink. */
function placeOf(sink) {
  const place = sink.url ?? sink.server ?? [sink[kindOf(sink)?.placeMember]].flat()[0];
  return [kindTitle(sink), place ? [' · ', h('bdi', { class: 'break' }, place)] : null];
}

const link = (part, text, name, sink) => h('a', {
  class: 'button', href: `#/sinks/${encodeURIComponent(sink.id)}/${part}`, 'data-key': part, 'aria-label': name,
}, text);

function actions(sink, removalKey) {
  const isPaused = stateOf(sink) === 'paused';
  const verb = isPaused ? 'resume' : 'pause';
  return h('p', { class: 'actions', 'data-key': 'actions' },
    button(t('Send Test'), () => test(sink), {
      isWrite: true, isRunning: operation(`test ${sink.id}`).isRunning, name: t('Send a test to {sink}', { sink: sink.id }), key: 'test',
    }),
    button(isPaused ? t('Resume') : t('Pause'), () => change(sink, verb), {
      isWrite: true, isRunning: operation(`${verb} ${sink.id}`).isRunning, key: 'pause',
      name: t(isPaused ? text('Resume {sink}') : text('Pause {sink}'), { sink: sink.id }),
    }),
    link('edit', t('Edit'), t('Edit {sink}', { sink: sink.id }), sink),
    sink.parked ? link('rejected', t('Show Rejected'), t('Show the messages that {sink} rejected', { sink: sink.id }), sink) : null,
    button(t('Remove'), () => askToConfirm(removalKey, 'removal'), {
      kind: 'danger', isWrite: true, name: t('Remove {sink}', { sink: sink.id }), id: removeButtonId(sink), key: 'remove',
    }));
}

const removeButtonId = (sink) => `remove-sink-${sink.id}`;

const verbs = ['test', 'pause', 'resume'];

/** Clears the outcomes of earlier operations of a sink when another one starts. */
function clearOutcomes(sink) {
  app.open.delete(`tested ${sink.id}`);
  clearFailures(verbs.map((verb) => `${verb} ${sink.id}`));
}

async function test(sink) {
  clearOutcomes(sink);
  const done = await run(`test ${sink.id}`, async () => {
    const result = await request('POST', `${pathOf(sink)}:test`);
    if (!result.delivered) throw new RequestFailed(200, result.problem);
    return result;
  });
  if (done === undefined) return;
  app.open.add(`tested ${sink.id}`);
  announce(t('The test arrived.'));
  reload((path) => path === sinksPath);
}

function change(sink, verb) {
  clearOutcomes(sink);
  run(`${verb} ${sink.id}`, async () => {
    await request('POST', `${pathOf(sink)}:${verb}`);
    await reload((path) => path === sinksPath);
  }, 'saved');
}

function removalQuestion(sink, removalKey) {
  const isIdle = !sink.waiting && !sink.parked;
  return confirmation({
    key: removalKey, name: 'removal', backTo: removeButtonId(sink), question: t('Remove sink ‘{sink}’?', { sink: sink.id }),
    loss: isIdle
      ? t('Its settings are lost. You can undo it for 10 seconds.')
      : t('Its settings and its {waiting} waiting and {parked} rejected messages are lost. You can undo it for 10 seconds.', {
        waiting: sink.waiting ?? 0, parked: sink.parked,
      }),
    action: () => {
      app.open.delete(removalKey);
      removeLater({
        path: pathOf(sink), text: t('Sink ‘{sink}’ removed.', { sink: sink.id }), failed: t('Sink ‘{sink}’ was not removed.', { sink: sink.id }),
        listPath: sinksPath,
      });
    },
  });
}
