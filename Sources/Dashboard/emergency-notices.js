// Notifications of the browser about emergencies.

import './words-emergency.js';
import { h } from './dom.js';
import { button } from './parts.js';
import { changed } from './state.js';
import { t } from './translate.js';

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

/** The part of the settings about notifications. */
export function notificationSettings() {
  const state = permission();
  return h('div', { class: 'card', id: 'notification-settings', 'data-permission': state },
    h('p', {}, state === 'default' ? t('emergency.notify.about') : t(`emergency.notify.${state}`)),
    state === 'default'
      ? h('p', { class: 'actions' }, button(t('emergency.notify'), () => Notification.requestPermission().then(changed), { id: 'allow-notifications' }))
      : null);
}
