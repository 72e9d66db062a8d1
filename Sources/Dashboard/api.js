// Requests to the service. Each carries the language of the page, and each write the header by which the service knows its own page.

import { language } from './preferences.js';
import { t } from './translate.js';

/** What the service, or the page itself, says went wrong. `problem` is as in the service's problem+json. */
export class RequestFailed extends Error {
  constructor(status, problem) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

/** What to do about answers, set once by `observeRequests`. */
let observer = { answered() {}, unreachable() {}, signInNeeded() {}, rateLimited() {} };

/**
 * @param {object} effects
 * @param {(begun: number) => void} effects.answered The service answered a request that was begun then, by `performance.now()`.
 * @param {() => void} effects.unreachable It did not.
 * @param {() => void} effects.signInNeeded Nobody is signed in, and the session cannot be renewed.
 * @param {(seconds: number) => void} effects.rateLimited It asks to wait.
 */
export const observeRequests = (effects) => { observer = effects; };

/**
 * Asks the service. After a 401 it renews the session once, silently, and asks again.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body] Sent as JSON.
 * @param {{keepalive?: boolean, isSignIn?: boolean, ifMatch?: string, isNew?: boolean}} [options] A request with `keepalive` outlives the
 *     page. A change with `ifMatch` is made of that version only, and one with `isNew` only when there is nothing of that name yet.
 * @returns {Promise<any>} The answer's JSON; null when it has none.
 * @throws {RequestFailed}
 */
export const request = async (method, path, body, options) => (await requestTagged(method, path, body, options)).data;

/**
 * Asks the service as `request` does, and tells the version of what is answered.
 *
 * @returns {Promise<{data: any, tag: string|null}>}
 * @throws {RequestFailed}
 */
export async function requestTagged(method, path, body, options = {}) {
  let response = await send(method, path, body, options);
  if (response.status === 401 && !options.isSignIn) {
    const renewal = await send('GET', '/v1/session', undefined, {});
    if (renewal.ok) response = await send(method, path, body, options);
    if (response.status === 401) observer.signInNeeded();
  }
  if (response.ok) return { data: response.status === 204 ? null : await response.json(), tag: response.headers.get('ETag') };
  const problem = await problemOf(response);
  if (response.status === 429) observer.rateLimited(Number(response.headers.get('Retry-After')) || 1);
  throw new RequestFailed(response.status, problem);
}

async function send(method, path, body, { keepalive = false, ifMatch, isNew }) {
  const headers = { 'Accept-Language': language() };
  if (method !== 'GET') headers['X-Picket-Page'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (ifMatch) headers['If-Match'] = ifMatch;
  if (isNew) headers['If-None-Match'] = '*';
  const begun = performance.now();
  try {
    const response = await fetch(path, {
      method, headers, keepalive, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store',
    });
    observer.answered(begun);
    return response;
  } catch (error) {
    observer.unreachable();
    throw new RequestFailed(0, ownProblem('noConnection', 'wifi.slash', String(error?.message ?? error)));
  }
}

/** The problem that an answer tells. @param {Response} response */
export async function problemOf(response) {
  try {
    const problem = await response.json();
    if (problem.code) return problem;
  } catch {
    // Not the service's own answer, as from a proxy: said below.
  }
  return ownProblem('serverError', 'server.rack', `${response.status} ${response.statusText}`);
}

/** A problem of the page's own, in the form of the service's. */
export const ownProblem = (code, iconName, details) => ({
  code, icon: iconName, details,
  title: t(`problem.${code}.title`), message: t(`problem.${code}.message`),
  recoveryAction: { kind: 'retry', label: t('tryAgain') }, requiresReauthentication: false, parameters: {},
});
