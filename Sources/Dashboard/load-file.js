// Uploads a position file that was dropped or chosen, in pieces, and shows the result.

import { RequestFailed } from './api.js';
import { devicesPath } from './devices.js';
import { idOfName } from './device-id.js';
import { h, icon } from './dom.js';
import { recognize, contentType } from './file-format.js';
import { pieces } from './file-pieces.js';
import { emptyResult, addAnswer, loadResult } from './load-result.js';
import { button, submitButton } from './parts.js';
import { style } from './preferences.js';
import { problemCard } from './problem-card.js';
import { announce } from './shell.js';
import { changed, focusWhenDrawn, reload, resource, whyReadOnly } from './state.js';
import { upload } from './upload.js';
import { vibrate } from './haptics.js';
import { t, tn } from './translate.js';

/** The number of bytes from which the format is recognized. */
const beginning = 65_536;

/** The chosen file and its format. */
let chosen = null;
let isOver = false;
/** The share of the file that was sent, from 0 to 1; null if nothing is being sent. */
let progress = null;
let result = null;
let problem = null;
let fieldError = null;
let abort = new AbortController();

/** Discards the file. The parts that were sent stay stored. */
export function leaveFileLoader() {
  if (!chosen && !result && !problem) return;
  abort.abort();
  abort = new AbortController();
  chosen = progress = result = problem = fieldError = null;
}

/** Whether a file was chosen. */
export const hasFile = () => chosen !== null;

/** Whether a part of a file was sent and answered. */
export const hasResult = () => result !== null;

/** The drop zone, the question for the device, and the result. */
export const fileLoader = () => h('div', { class: 'file-loader', 'data-key': 'file-loader' },
  chosen ? details() : dropZone(),
  problem ? problemCard({ key: 'load file', problem, onRetry: send, onDismiss: () => { problem = null; changed(); } }) : null,
  result ? loadResult(result) : null);

function dropZone() {
  const reason = whyReadOnly();
  return h('div', { class: isOver ? 'drop over' : 'drop', id: 'drop', 'data-key': 'drop', ondragover: over, ondragleave: leave, ondrop: drop },
    icon('tray.and.arrow.up'),
    h('p', {}, h('strong', {}, t('Drop a file of positions here'))),
    h('p', { class: 'quiet' }, t('GPX, KML, KMZ, TCX, NMEA, CSV, GeoJSON, OwnTracks .rec, JSON or NDJSON, of any size.')),
    h('label', { class: 'button', 'aria-disabled': reason ? 'true' : null, title: reason }, t('Choose a File'),
      h('input', { type: 'file', id: 'load-file', class: 'hidden-visually', disabled: reason !== null, onchange: choose })));
}

function over(event) {
  event.preventDefault();
  if (isOver) return;
  isOver = true;
  changed();
}

function leave() {
  isOver = false;
  changed();
}

function drop(event) {
  event.preventDefault();
  isOver = false;
  take(event.dataTransfer.files[0]);
}

function choose(event) {
  const [file] = event.target.files;
  // Resetting the value allows the same file to be chosen again.
  event.target.value = '';
  take(file);
}

async function take(file) {
  changed();
  if (!file || whyReadOnly()) return;
  result = problem = fieldError = null;
  let start;
  try {
    start = await file.slice(0, beginning).text();
  } catch (failure) {
    // The file is a folder, or is not readable.
    if (!(failure instanceof DOMException)) throw failure;
    problem = {
      code: 'decodingFailed', icon: 'doc.badge.exclamationmark', title: file.name, message: t('The file cannot be read: {reason}', { reason: failure.message }),
      recoveryAction: { kind: 'dismiss', label: t('Close') }, requiresReauthentication: false, parameters: {},
    };
    changed();
    return;
  }
  const recognized = recognize(start);
  const stem = file.name.replace(/\.[^.]*$/, '');
  chosen = { file, ...recognized, device: recognized.namesDevice ? '' : idOfName(stem) || 'device' };
  focusWhenDrawn('load-device');
}

const sizeOf = (bytes) => {
  const [unit, value] = bytes < 1e6 ? ['kilobyte', bytes / 1e3] : ['megabyte', bytes / 1e6];
  return new Intl.NumberFormat(style().locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(value);
};

function details() {
  const { file, namesDevice, device } = chosen;
  const isSending = progress !== null;
  const hint = fieldError ?? (namesDevice
    ? t('The file names the devices. Enter an id only to assign all positions to one device.')
    : t('The file does not name the device. An unknown id creates a new device.'));
  return h('form', { class: 'card form', id: 'load-form', 'data-key': 'load-form', onsubmit: submit, novalidate: true },
    h('p', { class: 'file' }, h('strong', {}, h('bdi', { class: 'break' }, file.name)), h('span', { class: 'quiet' }, sizeOf(file.size))),
    isSending ? sending(file) : result ? null : [
      h('div', { class: 'field', 'data-key': 'device' },
        h('label', { for: 'load-device' }, t('Whose positions are these?'), ' ', h('span', { class: 'hint' }, namesDevice ? t('(optional)') : t('(required)'))),
        h('input', {
          id: 'load-device', name: 'device', type: 'text', value: device, list: 'load-devices', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false',
          'aria-describedby': 'load-device-hint', 'aria-invalid': fieldError ? 'true' : null,
        }),
        h('datalist', { id: 'load-devices' }, (resource(devicesPath).data?.devices ?? []).map(({ id, name }) => h('option', { value: id }, name || id))),
        h('p', { id: 'load-device-hint', class: fieldError ? 'field-error' : 'hint', role: fieldError ? 'alert' : null }, hint))],
    h('p', { class: 'actions', 'data-key': 'actions' },
      isSending || result ? null : submitButton('load-submit', t('Load')),
      button(isSending ? t('Cancel') : t('Choose Another'), again, { id: 'load-other', key: 'other' })));
}

const sending = (file) => h('div', { class: 'sending', 'data-key': 'sending' },
  h('label', { for: 'load-progress' }, t('Loading {name}', { name: file.name })),
  h('progress', { id: 'load-progress', max: '1', value: progress.toFixed(3) }));

function again() {
  leaveFileLoader();
  focusWhenDrawn('load-file');
}

function submit(event) {
  event.preventDefault();
  if (whyReadOnly()) return;
  chosen.device = document.getElementById('load-device').value.trim();
  fieldError = !chosen.device && !chosen.namesDevice ? t('Enter the device: the file does not name it.') : null;
  changed();
  if (!fieldError) send();
}

/** Sends the file in pieces. If it is sent again after a failure, the pieces that were already stored are recognized as duplicates. */
async function send() {
  const { file, format, device } = chosen;
  const { signal } = abort;
  const path = `/v1/positions${device ? `?device=${encodeURIComponent(device)}` : ''}`;
  result = problem = null;
  progress = 0;
  changed();
  const total = emptyResult();
  let sent = 0;
  try {
    for await (const { body, bytes } of pieces(file, format)) {
      const answer = await upload(path, body, contentType(format), (share) => {
        progress = Math.min(1, (sent + share * bytes) / file.size);
        changed();
      }, signal);
      addAnswer(total, answer);
      sent += bytes;
    }
    result = total;
    vibrate('saved');
    announce(tn(total.accepted, '{count} position accepted', '{count} positions accepted'));
    reload();
  } catch (failure) {
    if (signal.aborted) return;
    if (failure instanceof RequestFailed) problem = failure.problem;
    // The file is not valid JSON, or was removed in the meantime.
    else if (failure instanceof SyntaxError || failure instanceof DOMException) fieldError = t('The file cannot be read: {reason}', { reason: failure.message });
    else throw failure;
    vibrate('error');
  } finally {
    if (!signal.aborted) progress = null;
    changed();
  }
}
