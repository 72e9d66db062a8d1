// The content that replaces the overview while the store is empty: the ways to add positions.

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
const onward = () => button(t('Show the Overview'), () => {
  leaveFileLoader();
  changed();
}, { kind: 'primary', id: 'first-onward' });

export const firstRun = () => (hasFile() ? [heading(t('Load a file'), hasResult() ? onward() : null), fileLoader()] : [
  heading(t('Welcome to Picket')),
  h('p', { class: 'quiet', id: 'first-run' }, t('There is no data yet. Picket needs positions from a phone, a file or a command.')),
  h('div', { class: 'ways', 'data-key': 'ways' },
    way('phone', t('A phone'), 'plus', [
      h('p', {}, t('OwnTracks or Traccar Client, set up with a QR code in a minute.')),
      h('p', {}, h('a', { class: 'button primary', href: '#/phones/add', id: 'first-add-phone' }, t('Add a Phone')))]),
    isSampleAvailable() ? way('sample', t('Just looking?'), 'overview', [
      h('p', {}, t('Load a day in Berlin: 315 geofences, a family, a fleet of vans, and a simulated phone to break and repair. You can remove it later.')),
      h('div', {}, sampleButton())]) : null,
    way('file', t('A file'), 'tray.and.arrow.up', fileLoader()),
    way('command', t('A command'), 'chevron', [
      h('p', {}, t('Reports one position. Any program can do the same.')), copyable('first-command', t('A command'), commandLine()),
      app.session?.isOpen ? null : h('p', { class: 'hint' }, t('PICKET_TOKEN is a token that may report positions.'))])),
]);

const way = (name, title, iconName, content) => h('section', { class: `card way way-${name}`, id: `way-${name}`, 'data-key': name, 'aria-labelledby': `way-${name}-title` },
  h('h2', { id: `way-${name}-title` }, icon(iconName), title), content);
