// What leads from a geofence or a device on the map to what happened there, and to why nothing did.

import './words-events.js';
import { h } from './dom.js';
import { addressOf, trackAddress, whyAddress } from './events-address.js';
import { addTool } from './map-state.js';
import { t } from './translate.js';

addTool({
  details({ kind, id }) {
    const device = kind === 'device' ? id : null;
    const geofence = kind === 'geofence' ? id : null;
    return h('p', { class: 'event-links', 'data-key': 'history' },
      h('a', { href: addressOf({ device, geofence }) }, t('nav.events')),
      device ? h('a', { href: trackAddress(device) }, t('events.track')) : null,
      h('a', { href: whyAddress(device, geofence) }, t('events.whyNothing')));
  },
});
