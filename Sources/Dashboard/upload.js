// Sends a body to the service and reports the progress, which `fetch` cannot do.

import { failureOf, noConnection, parsed, request, serviceURL, timedOut } from './api.js';
import { language } from './preferences.js';

/** Seconds without progress, or without an answer to a body that was sent completely, after which an upload is given up. */
const limit = 120;

/**
 * @param {string} path
 * @param {Blob|string} body
 * @param {string} contentType
 * @param {(share: number) => void} onProgress The share of the body that was sent, from 0 to 1.
 * @param {AbortSignal} signal
 * @returns {Promise<any>} The JSON of the response, also for a 422 with individual refusals.
 * @throws {RequestFailed}
 */
export async function upload(path, body, contentType, onProgress, signal) {
  try {
    return await send(path, body, contentType, onProgress, signal);
  } catch (failure) {
    if (failure.status !== 401) throw failure;
    // The session is renewed once. If that is refused, the sign-in form appears.
    await request('GET', '/v1/session');
    return send(path, body, contentType, onProgress, signal);
  }
}

function send(path, body, contentType, onProgress, signal) {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open('POST', serviceURL(path));
    sending.setRequestHeader('Content-Type', contentType);
    sending.setRequestHeader('X-Picket-Page', '1');
    sending.setRequestHeader('Accept-Language', language());
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reject(timedOut('POST', path, limit));
        sending.abort();
      }, limit * 1000);
    };
    sending.upload.onprogress = ({ loaded, total }) => {
      wait();
      onProgress(total ? loaded / total : 1);
    };
    sending.onloadend = () => clearTimeout(timer);
    sending.onerror = () => reject(noConnection(''));
    sending.onabort = () => reject(new DOMException('The upload was given up.', 'AbortError'));
    sending.onload = () => {
      const { status, statusText, responseText: text } = sending;
      const type = sending.getResponseHeader('Content-Type') ?? '';
      if (!type.startsWith('application/json') || ![200, 422].includes(status)) return reject(failureOf({ status, statusText, text }));
      try {
        resolve(parsed(text));
      } catch (failure) {
        reject(failure);
      }
    };
    wait();
    signal.addEventListener('abort', () => sending.abort(), { once: true });
    sending.send(body);
  });
}
