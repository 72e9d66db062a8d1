// The content that replaces the overview while the store is empty: the ways to add positions.

import './words-load.js';
import { serviceURL } from './api.js';
import { copyable } from './copy.js';
import { h, icon } from './dom.js';
import { fileLoader, hasFile, hasResult, leaveFileLoader } from './load-file.js';
import { button, heading } from './parts.js';
import { isSampleAvailable, sampleButton } from './sample-data.js';
import { app, changed } from './state.js';
import { t } from './translate.js';

export { sampleNote } from './sample-data.js';
export { hasFile, leaveFileLoader };

/** The time of the position in the command: when the page was loaded. */
const now = `${new Date().toISOString().slice(0, 19)}Z`;

/** A shell command that reports one position. */
function commandLine() {
  const token = app.session?.isOpen ? '' : ' -H "Authorization: Bearer $PICKET_TOKEN"';
  return `curl${token} ${location.origin}${serviceURL('/v1/positions')} -d '{"device":"my-phone","timestamp":"${now}","latitude":52.5163,"longitude":13.3777,"accuracy":12}'`;
}

/** A button that leads from the result of an upload to the overview. */
const onward = () => button(t('first.onward'), () => {
  leaveFileLoader();
  changed();
}, { kind: 'primary', id: 'first-onward' });

export const firstRun = () => (hasFile() ? [heading(t('load.title'), hasResult() ? onward() : null), fileLoader()] : [
  heading(t('first.title')),
  h('p', { class: 'quiet', id: 'first-run' }, t('first.lead')),
  h('div', { class: 'ways', 'data-key': 'ways' },
    way('phone', 'plus', [
      h('p', {}, t('first.phone.about')),
      h('p', {}, h('a', { class: 'button primary', href: '#/phones/add', id: 'first-add-phone' }, t('first.phone.add')))]),
    isSampleAvailable() ? way('sample', 'overview', [h('p', {}, t('first.sample.about')), h('div', {}, sampleButton())]) : null,
    way('file', 'tray.and.arrow.up', fileLoader()),
    way('command', 'chevron', [
      h('p', {}, t('first.command.about')), copyable('first-command', t('first.command'), commandLine()),
      app.session?.isOpen ? null : h('p', { class: 'hint' }, t('first.command.token'))])),
]);

const way = (name, iconName, content) => h('section', { class: `card way way-${name}`, id: `way-${name}`, 'data-key': name, 'aria-labelledby': `way-${name}-title` },
  h('h2', { id: `way-${name}-title` }, icon(iconName), t(`first.${name}`)), content);
