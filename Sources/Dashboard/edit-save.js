// Saves drafts, activates and deactivates geofences, and detects changes that another person has made in the meantime.

import { request, requestTagged } from './api.js';
import { bodyOf, changesOf, flawsOf } from './edit-draft.js';
import { editing, end, keepMine, pathOf, saveKey, update } from './edit-state.js';
import { vibrate } from './haptics.js';
import { putGeofence, reloadGeofences } from './map-geofences.js';
import { select } from './map-state.js';
import { announce } from './shell.js';
import { focusWhenDrawn, operation, run, whyReadOnly } from './state.js';
import { t, text } from './translate.js';

/** Saves the draft. Errors and changes by somebody else are shown in the form. */
export async function save() {
  const { draft } = editing;
  if (whyReadOnly() || !draft || operation(saveKey).isRunning) return;
  update({ isChecked: true, isDrawing: editing.isDrawing && !draft.shape });
  if (!draft.shape || flawsOf(draft).length) {
    vibrate('error');
    focusFirstError();
    return;
  }
  const answer = await run(saveKey, () => send(draft));
  if (answer === undefined) return focusFirstError();
  if (answer.theirs) return meet(draft, answer.theirs);
  finish(draft, answer);
}

/** Sends the changes of a draft. @returns {Promise<{data: object, tag: string}|{theirs: {geofence: object|null, tag: string|null}}>} */
async function send(draft) {
  const { base, tag } = draft;
  try {
    if (!base) return await requestTagged('POST', '/v1/geofences?onConflict=rename', bodyOf(draft));
    // The geofence was deleted in the meantime, and is created again.
    if (!tag) return await requestTagged('PUT', pathOf(base.id), bodyOf(draft), { isNew: true });
    const changes = changesOf(draft);
    if (Object.keys(changes).length === 0) return { data: base, tag };
    return await requestTagged('PATCH', pathOf(base.id), changes, { ifMatch: tag });
  } catch (failure) {
    if (base && [404, 409, 412].includes(failure.status)) return { theirs: await load(base.id) };
    throw failure;
  }
}

/** Loads the current version of a geofence. @param {string} id */
async function load(id) {
  try {
    const { data, tag } = await requestTagged('GET', pathOf(id));
    return { geofence: data, tag };
  } catch (failure) {
    if (failure.status === 404) return { geofence: null, tag: null };
    throw failure;
  }
}

/** Handles a change that somebody else has saved first. If it equals the draft, there is no conflict. */
function meet(draft, theirs) {
  if (theirs.geofence && theirs.tag && draft.tag && Object.keys(changesOf({ ...draft, base: theirs.geofence })).length === 0) {
    return finish(draft, { data: theirs.geofence, tag: theirs.tag });
  }
  vibrate('error');
  update({ theirs: { ...theirs, isMetBySaving: true } });
  focusWhenDrawn('edit-conflict');
}

function finish(draft, { data, tag }) {
  vibrate('saved');
  putGeofence(data);
  reloadGeofences();
  announce(t(draft.base ? text('‘{name}’ saved.') : text('Geofence ‘{name}’ created.'), { name: data.name }));
  if (editing.draft !== draft) {
    // The person continued to edit during saving. These changes now apply to the saved version.
    update({ id: data.id, draft: { ...editing.draft, base: data, tag }, begunAt: Date.now() });
    return;
  }
  end();
  select({ kind: 'geofence', id: data.id });
  focusWhenDrawn('edit-geofence');
}

/**
 * Continues with the person's own changes based on the other version, and saves them if the person had asked for that. A deleted geofence
 * is created again.
 */
export function goOnWithMine() {
  const { isMetBySaving, geofence } = editing.theirs;
  keepMine();
  if (isMetBySaving || !geofence) save();
}

const focusFirstError = () => setTimeout(() => {
  const field = document.querySelector('#edit-form [aria-invalid]');
  field?.closest('details')?.setAttribute('open', '');
  (field ?? document.querySelector('#edit-form .problem-toggle'))?.focus();
});

/** Activates or deactivates a geofence. @param {object} geofence As it is shown. */
export function setActive(geofence, isActive) {
  run(`activate ${geofence.id}`, async () => {
    const { tag } = await requestTagged('GET', pathOf(geofence.id));
    putGeofence(await request('PATCH', pathOf(geofence.id), { isActive }, { ifMatch: tag }));
    announce(t(isActive ? text('‘{name}’ activated.') : text('‘{name}’ deactivated.'), { name: geofence.name }));
    await reloadGeofences();
  }, 'saved');
}

