// Adds links to the details on the map: from a device to its track, and from a device or a geofence to the explanation why nothing
// happened.

import { h } from './dom.js';
import { trackAddress, whyAddress } from './events-address.js';
import { addTool } from './map-state.js';
import { t } from './translate.js';

addTool({
  details({ kind, id }) {
    const device = kind === 'device' ? id : null;
    const geofence = kind === 'geofence' ? id : null;
    return h('p', { class: 'event-links', 'data-key': 'history' },
      device ? h('a', { href: trackAddress(device) }, t('Track')) : null,
      h('a', { href: whyAddress(device, geofence) }, t('Why no events?')));
  },
});
