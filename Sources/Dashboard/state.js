// What the page holds: the session, the route, what was loaded, and what is under way. A change asks for the page to be drawn again.

import { request, RequestFailed } from './api.js';
import { offlineReason } from './connection.js';
import { vibrate } from './haptics.js';
import { t } from './translate.js';

/**
 * @typedef {object} Resource What was loaded from one address.
 * @property {any} data The last answer; null before the first.
 * @property {number} loadedAt Milliseconds since 1970.
 * @property {boolean} isLoading
 * @property {boolean} isMissing Whether the service knows no such address.
 * @property {object|null} problem Why the last attempt failed.
 */

export const app = {
  /** @type {{role: string, name?: string, isOpen: boolean}|null} */
  session: null,
  /** @type {string[]} The parts of the address after `#/`. */
  route: [],
  /** What follows a question mark in the address. */
  query: new URLSearchParams(),
  /** @type {import('./connection.js').Connection|null} */
  connection: null,
  /** Until when the service asked to be left alone; milliseconds since 1970. */
  rateLimitedUntil: 0,
  /** Keys of the parts of the page that a person has opened. */
  open: new Set(),
};

let draw = () => {};
let isDrawing = false;

/** @param {() => void} callback Draws the page. */
export const onDraw = (callback) => { draw = callback; };

/** Asks for the page to be drawn, once for all changes of the moment. */
export function changed() {
  if (isDrawing) return;
  isDrawing = true;
  queueMicrotask(() => {
    isDrawing = false;
    draw();
  });
}

/** Milliseconds for which an element is waited for that is to have the focus. A person has gone on after that. */
const focusPatience = 5000;
/** @type {{id: string, options: FocusOptions, until: number, isGiven: boolean}|null} */
let wantedFocus = null;

/**
 * Gives an element the focus as soon as it is drawn: it may still have to be loaded.
 *
 * @param {string} id
 * @param {FocusOptions} [options]
 */
export function focusWhenDrawn(id, options = {}) {
  wantedFocus = { id, options, until: Date.now() + focusPatience, isGiven: false };
  changed();
}

/**
 * Gives the focus to the element that waits for it, when it is there, and again when it is drawn anew soon after. To be called after
 * each drawing.
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

// Whoever does something has the focus where they want it.
for (const type of ['keydown', 'pointerdown']) globalThis.addEventListener?.(type, forgetWantedFocus, true);

/** @param {string} key */
export function toggle(key) {
  if (!app.open.delete(key)) app.open.add(key);
  changed();
}

// MARK: Loaded data

/** @type {Map<string, Resource>} */
const resources = new Map();
/** The addresses that this drawing uses, and those that the one before used. */
let used = new Set();
let usedBefore = used;

/** Begins a drawing: only what it uses is kept up to date. */
export function beginDrawing() {
  usedBefore = used;
  used = new Set();
}

/**
 * What is at an address. It is loaded when it comes into view.
 *
 * @param {string} path
 * @param {() => Promise<any>} [ask] How it is loaded, when one request is not enough. `path` then only names it.
 * @returns {Resource}
 */
export function resource(path, ask = () => request('GET', path)) {
  if (!resources.has(path)) resources.set(path, { data: null, loadedAt: 0, isLoading: false, isMissing: false, problem: null, ask });
  if (!usedBefore.has(path) && !used.has(path)) queueMicrotask(() => load(path));
  used.add(path);
  return resources.get(path);
}

/**
 * Loads an address again. The data that is there stays until the answer comes.
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
 * Loads again what the page shows.
 *
 * @param {(path: string) => boolean} [isWanted]
 */
export const reload = (isWanted = () => true) =>
  Promise.all([...resources.keys()].filter((path) => used.has(path) && isWanted(path)).map(load));

/** Forgets everything loaded, as when a person signs out. */
export function forgetAll() {
  resources.clear();
  changed();
}

/** The resources that the page shows. */
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

/** Forgets the problems that a sign-in has solved. */
export function clearSignInProblems() {
  for (const [key, { problem }] of operations) if (problem?.requiresReauthentication) operations.delete(key);
}

/**
 * Runs an operation once at a time. Its old error is cleared; a new one is kept under the key.
 *
 * @template Result
 * @param {string} key
 * @param {() => Promise<Result>} work
 * @param {Parameters<typeof vibrate>[0]} [moment] What the phone says when it has worked.
 * @returns {Promise<Result|undefined>} Undefined when it failed or ran already.
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

/** A failure's problem. An error of the page's own code is no problem to show: it goes to the console. */
export function problemOf(failure) {
  if (failure instanceof RequestFailed) return failure.problem;
  throw failure;
}

/** Why nothing can be changed now, in words; null when it can. */
export function whyReadOnly() {
  if (app.connection && offlineReason(app.connection)) return t('readOnly.offline');
  return app.session && app.session.role !== 'admin' ? t('readOnly.role') : null;
}
