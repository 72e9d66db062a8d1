// Notifications of the browser about emergencies.

import { h } from './dom.js';
import { button } from './parts.js';
import { changed } from './state.js';
import { t, text } from './translate.js';

/** Whether the browser shows notifications of this page: `granted`, `denied`, `default` (not asked yet), or `missing`. */
const permission = () => globalThis.Notification?.permission ?? 'missing';

/**
 * Notifies the person of an emergency if the browser allows it. A click shows the device on the map.
 *
 * @param {object} event
 * @param {string} title
 * @param {string} body
 */
export function notifyOf(event, title, body) {
  if (permission() !== 'granted') return;
  try {
    // With a tag, several pages of Picket cause only one notification.
    const notice = new Notification(title, { body, tag: event.id, requireInteraction: true });
    notice.onclick = () => {
      window.focus();
      location.hash = `#/map/device/${encodeURIComponent(event.deviceId)}`;
      notice.close();
    };
  } catch (error) {
    // Chrome on Android accepts notifications only from service workers. The bar on the page shows the emergency.
    if (!(error instanceof TypeError)) throw error;
  }
}

const stateTexts = {
  default: text('This browser shows a notification when a device raises an emergency, while a page of Picket is open.'),
  granted: text('Notifications of emergencies are on.'),
  denied: text('This browser does not allow notifications from this page. Allow them in the settings of the browser.'),
  missing: text('This browser cannot show notifications from this page.'),
};

/** The part of the settings about notifications. */
export function notificationSettings() {
  const state = permission();
  return h('div', { class: 'card', id: 'notification-settings', 'data-permission': state },
    h('p', {}, t(stateTexts[state])),
    state === 'default'
      ? h('p', { class: 'actions' }, button(t('Notify Me'), () => Notification.requestPermission().then(changed), { id: 'allow-notifications' }))
      : null);
}
