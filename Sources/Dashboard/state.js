// The state of the page: the session, the route, the loaded data, and the running operations. Changes cause a redraw.

import { request, RequestFailed } from './api.js';
import { offlineReason } from './connection.js';
import { vibrate } from './haptics.js';
import { t } from './translate.js';

/**
 * @typedef {object} Resource The data loaded from one address.
 * @property {any} data The last response; null before the first one.
 * @property {number} loadedAt Milliseconds since 1970.
 * @property {boolean} isLoading
 * @property {boolean} isMissing Whether the service does not know the address.
 * @property {object|null} problem Why the last attempt failed; null if it was successful.
 */

export const app = {
  /** @type {{role: string, name?: string, isOpen: boolean}|null} */
  session: null,
  /** @type {string[]} The parts of the address after `#/`. */
  route: [],
  /** The query after the question mark in the address. */
  query: new URLSearchParams(),
  /** @type {import('./connection.js').Connection|null} */
  connection: null,
  /** Seconds since something was heard of the service. */
  silence: 0,
  /** The time until which the service asked not to send requests, in milliseconds since 1970. */
  rateLimitedUntil: 0,
  /** Keys of the parts of the page that the person has opened. */
  open: new Set(),
};

let draw = () => {};
let isDrawing = false;

/** @param {() => void} callback Draws the page. */
export const onDraw = (callback) => { draw = callback; };

/** Requests a redraw. Several changes in the same task cause only one redraw. */
export function changed() {
  if (isDrawing) return;
  isDrawing = true;
  queueMicrotask(() => {
    isDrawing = false;
    draw();
  });
}

/** Milliseconds to wait for an element that should get the focus. After that, the person has probably moved on. */
const focusPatience = 5000;
/** @type {{id: string, options: FocusOptions, until: number, isGiven: boolean}|null} */
let wantedFocus = null;

/**
 * Moves the focus to an element as soon as it is drawn, because it may have to be loaded first.
 *
 * @param {string} id
 * @param {FocusOptions} [options]
 */
export function focusWhenDrawn(id, options = {}) {
  wantedFocus = { id, options, until: Date.now() + focusPatience, isGiven: false };
  changed();
}

/**
 * Moves the focus to the waiting element if it exists, and again if it is recreated shortly afterward. Must be called after each drawing.
 */
export function giveFocus() {
  if (!wantedFocus) return;
  if (Date.now() > wantedFocus.until) return forgetWantedFocus();
  const element = document.getElementById(wantedFocus.id);
  if (!element || wantedFocus.isGiven && document.activeElement !== document.body) return;
  element.focus(wantedFocus.options);
  wantedFocus.isGiven = true;
}

function forgetWantedFocus() {
  wantedFocus = null;
}

// When the person presses a key or a pointer, the focus must no longer be moved.
for (const type of ['keydown', 'pointerdown']) globalThis.addEventListener?.(type, forgetWantedFocus, true);

/** @param {string} key */
export function toggle(key) {
  if (!app.open.delete(key)) app.open.add(key);
  changed();
}

// MARK: Resources

/** @type {Map<string, Resource>} */
const resources = new Map();
/** The addresses that the current drawing uses (`used`), and those of the previous one (`usedBefore`). */
let used = new Set();
let usedBefore = used;

/** Starts a drawing. Only the resources that it uses are kept up to date. */
export function beginDrawing() {
  usedBefore = used;
  used = new Set();
}

/**
 * The resource at an address. It is loaded when it is first used after a drawing without it.
 *
 * @param {string} path
 * @param {() => Promise<any>} [ask] Loads the resource if a single request is not enough. `path` is then only a key.
 * @returns {Resource}
 */
export function resource(path, ask = () => request('GET', path)) {
  if (!resources.has(path)) resources.set(path, { data: null, loadedAt: 0, isLoading: false, isMissing: false, problem: null, ask });
  if (!usedBefore.has(path) && !used.has(path)) queueMicrotask(() => load(path));
  used.add(path);
  return resources.get(path);
}

/**
 * Loads a resource again. Its data stays until the response arrives.
 *
 * @param {string} path
 */
export async function load(path) {
  const entry = resources.get(path);
  if (!entry) return;
  if (entry.isLoading) {
    entry.isOutdated = true;
    return;
  }
  Object.assign(entry, { isLoading: true, problem: null, isOutdated: false });
  changed();
  try {
    Object.assign(entry, { data: await entry.ask(), loadedAt: Date.now(), isMissing: false });
  } catch (failure) {
    entry.isMissing = [404, 405].includes(failure.status);
    entry.problem = problemOf(failure);
  }
  entry.isLoading = false;
  changed();
  if (entry.isOutdated) load(path);
}

/**
 * Loads the resources on the page again.
 *
 * @param {(path: string) => boolean} [isWanted]
 */
export const reload = (isWanted = () => true) =>
  Promise.all([...resources.keys()].filter((path) => used.has(path) && isWanted(path)).map(load));

/** Discards all loaded data, for example after signing out. */
export function forgetAll() {
  resources.clear();
  changed();
}

/** The resources that the page uses. */
export const shownResources = () => [...used].map((path) => resources.get(path)).filter(Boolean);

// MARK: Operations

const idle = { isRunning: false, problem: null };
/** @type {Map<string, {isRunning: boolean, problem: object|null}>} */
const operations = new Map();

/** @param {string} key */
export const operation = (key) => operations.get(key) ?? idle;

/** @param {string} key */
export function clearOperation(key) {
  operations.delete(key);
  changed();
}

/** Clears the failures of operations. Operations that are running stay. @param {string[]} keys */
export function clearFailures(keys) {
  for (const key of keys) if (!operation(key).isRunning) operations.delete(key);
  changed();
}

/** Clears the problems that a sign-in has solved. */
export function clearSignInProblems() {
  for (const [key, { problem }] of operations) if (problem?.requiresReauthentication) operations.delete(key);
}

/**
 * Runs an operation unless it is already running. A failure is kept under the key until the next run.
 *
 * @template Result
 * @param {string} key
 * @param {() => Promise<Result>} work
 * @param {Parameters<typeof vibrate>[0]} [moment] The vibration after a success.
 * @returns {Promise<Result|undefined>} Undefined if the operation failed or was already running.
 */
export async function run(key, work, moment) {
  if (operation(key).isRunning) return undefined;
  operations.set(key, { isRunning: true, problem: null });
  changed();
  try {
    const result = await work();
    operations.delete(key);
    if (moment) vibrate(moment);
    return result ?? null;
  } catch (failure) {
    operations.set(key, { isRunning: false, problem: problemOf(failure) });
    vibrate('error');
    return undefined;
  } finally {
    changed();
  }
}

/** The problem of a failure. An error in the page's own code is thrown again, so that it appears in the console. */
export function problemOf(failure) {
  if (failure instanceof RequestFailed) return failure.problem;
  throw failure;
}

/** Why nobody can change anything now; null if the service can be reached. */
export const whyUnreachable = () =>
  (app.connection && offlineReason(app.connection) ? t('Nothing can be changed while the service is unreachable.') : null);

/** Why nothing can be changed now, as text; null if changes are possible. */
export function whyReadOnly() {
  const reason = whyUnreachable();
  if (reason) return reason;
  return app.session && app.session.role !== 'admin' ? t('Your token can only read. Sign in with one that can change settings.') : null;
}
