// Loads what an empty store shows, when a store is empty.

import { h } from './dom.js';
import { changed } from './state.js';
import { t } from './translate.js';

let module = null;
let isLoading = false;

/**
 * What the overview shows in its place; null when there is something to show.
 *
 * @param {object|null} status As of `/v1/status?totals=true`.
 */
export function firstRunWhenEmpty(status) {
  if (!status?.totals) return null;
  // What became of a file stays until it has been read.
  if (status.totals.geofences + status.totals.devices > 0 && !module?.hasFile()) return null;
  if (module) return module.firstRun();
  if (!isLoading) {
    isLoading = true;
    import('./first-run.js').then((loaded) => { module = loaded; }).finally(() => { isLoading = false; }).then(changed);
  }
  return [h('p', { class: 'loading', role: 'status' }, t('loading'))];
}

/** Forgets the file that was loaded here. */
export const leaveFirstRun = () => module?.leaveFileLoader();

/** Says that sample data was loaded, when it was a moment ago. */
export const note = () => module?.sampleNote() ?? null;
