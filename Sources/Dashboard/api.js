// Sends requests to the service. Each request carries the language of the page, and each write carries a header by which the service
// recognizes its own page.

import { language } from './preferences.js';
import { t, text } from './translate.js';

/** A failed request, as the service or the page itself reports it. `problem` has the form of the service's problem+json. */
export class RequestFailed extends Error {
  constructor(status, problem) {
    super(problem.message);
    this.status = status;
    this.problem = problem;
  }
}

/** Seconds after which the page gives up a request that only reads, and one that changes something. */
const readingLimit = 15;
const changingLimit = 60;

/** The reactions to responses. Set once by `observeRequests`. */
let observer = { answered() {}, timedOut() {}, unreachable() {}, signInNeeded() {}, rateLimited() {} };

/**
 * @param {object} effects
 * @param {(begun: number) => void} effects.answered The service answered a request that began at `begun`, in milliseconds since 1970.
 * @param {(begun: number) => void} effects.timedOut The service did not answer a request that began at `begun` in time.
 * @param {() => void} effects.unreachable The service cannot be reached.
 * @param {() => void} effects.signInNeeded Nobody is signed in, and the session cannot be renewed.
 * @param {(seconds: number) => void} effects.rateLimited The service asks the page to wait this number of seconds.
 */
export const observeRequests = (effects) => { observer = effects; };

/**
 * Sends a request to the service. After a response of 401, renews the session once and sends the request again.
 *
 * @param {string} method
 * @param {string} path
 * @param {object} [body] Sent as JSON.
 * @param {{keepalive?: boolean, isSignIn?: boolean, ifMatch?: string, isNew?: boolean, seconds?: number}} [options] With `keepalive`, the
 *     request continues after the page is closed. With `ifMatch`, the change applies only to that version. With `isNew`, it applies only if
 *     the object does not exist yet. `seconds` is the time limit.
 * @returns {Promise<any>} The JSON of the response; null if it has none.
 * @throws {RequestFailed}
 */
export const request = async (method, path, body, options) => (await requestTagged(method, path, body, options)).data;

/**
 * Sends a request as `request` does, and also returns the version of the object in the response.
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
  if (response.ok) return { data: response.json(), tag: response.tag };
  if (response.status === 429) observer.rateLimited(response.retryAfter);
  throw failureOf(response);
}

/** The address of a path of the service, which may be shown below a path of another server. @param {string} path Such as `/v1/status`. */
export function serviceURL(path) {
  const { pathname, search } = new URL(`.${path}`, document.baseURI);
  return pathname + search;
}

async function send(method, path, body, { keepalive = false, ifMatch, isNew, seconds = method === 'GET' ? readingLimit : changingLimit }) {
  const headers = { 'Accept-Language': language() };
  if (method !== 'GET') headers['X-Picket-Page'] = '1';
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (ifMatch) headers['If-Match'] = ifMatch;
  if (isNew) headers['If-None-Match'] = '*';
  const begun = Date.now();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), seconds * 1000);
  try {
    const response = await fetch(serviceURL(path), {
      method, headers, keepalive, body: body === undefined ? undefined : JSON.stringify(body), cache: 'no-store', signal: limit.signal,
    });
    // The time limit includes the body.
    const text = await response.text();
    observer.answered(begun);
    const { ok, status, statusText } = response;
    return {
      ok, status, statusText, text, tag: response.headers.get('ETag'), retryAfter: Number(response.headers.get('Retry-After')) || 1,
      json: () => (status === 204 ? null : parsed(text)),
    };
  } catch (error) {
    if (limit.signal.aborted) {
      observer.timedOut(begun);
      throw timedOut(method, path, seconds);
    }
    observer.unreachable();
    throw noConnection(String(error?.message ?? error));
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of a successful response. A proxy may answer with something else. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestFailed(200, ownProblem('serverError', 'server.rack', String(error.message)));
  }
}

/** Loads a file of the dashboard itself. @param {string} name @returns {Promise<string>} @throws {RequestFailed} */
export async function loadFile(name) {
  const response = await send('GET', `/dashboard/${name}`, undefined, {});
  if (!response.ok) throw failureOf(response);
  return response.text;
}

/**
 * The problem in the text of a response.
 *
 * @param {string} text
 * @param {string} status The status as text, for a response that is not from the service itself.
 */
function problemIn(text, status) {
  try {
    const problem = JSON.parse(text);
    if (problem.code) return problem;
  } catch {
    // The response is not from the service itself, for example from a proxy. It is handled below.
  }
  return ownProblem('serverError', 'server.rack', status);
}

/** The failure that a response reports. @param {{status: number, statusText: string, text: string}} response */
export const failureOf = ({ status, statusText, text }) => new RequestFailed(status, problemIn(text, `${status} ${statusText}`));

/** The failure of a request that was not answered in a number of seconds. */
export const timedOut = (method, path, seconds) =>
  new RequestFailed(0, ownProblem('timeout', 'clock.badge.exclamationmark', `${method} ${path}: ${seconds} s`));

/** The failure of a request that did not reach the service. @param {string} details */
export const noConnection = (details) => new RequestFailed(0, ownProblem('noConnection', 'wifi.slash', details));

/** The titles and messages of the page's own problems. */
const problemTexts = {
  noConnection: [
    text('No connection'),
    text('The service cannot be reached. Check that it is running and that the network is up, then try again.'),
  ],
  timeout: [
    text('No answer in time'),
    text('The service did not answer in time. It is not known whether the request took effect. Try again.'),
  ],
  serverError: [
    text('Server error'),
    text('The answer did not come from the service, but from something between it and this page, such as a proxy. Try again later.'),
  ],
};

/** A problem of the page itself, in the same form as those of the service. */
const ownProblem = (code, iconName, details) => ({
  code, icon: iconName, details,
  title: t(problemTexts[code][0]), message: t(problemTexts[code][1]),
  recoveryAction: { kind: 'retry', label: t('Try Again') }, requiresReauthentication: false, parameters: {},
});
