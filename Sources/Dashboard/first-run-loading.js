// Loads the module for an empty store only if the store is empty.

import { h } from './dom.js';
import { changed } from './state.js';
import { t } from './translate.js';

let module = null;
let isLoading = false;

/**
 * The content that replaces the overview while the store is empty; null if it is not empty.
 *
 * @param {object|null} status The response of `/v1/status?totals=true`.
 */
export function firstRunWhenEmpty(status) {
  if (!status?.totals) return null;
  // The result of an upload stays visible until the person closes it.
  if (status.totals.geofences + status.totals.devices > 0 && !module?.hasFile()) return null;
  if (module) return module.firstRun();
  if (!isLoading) {
    isLoading = true;
    import('./first-run.js').then((loaded) => { module = loaded; }).finally(() => { isLoading = false; }).then(changed);
  }
  return [h('p', { class: 'loading', role: 'status' }, t('Loading …'))];
}

/** Discards the file that was loaded here. */
export const leaveFirstRun = () => module?.leaveFileLoader();

/** A note that sample data was loaded a moment ago; otherwise null. */
export const note = () => module?.sampleNote() ?? null;
