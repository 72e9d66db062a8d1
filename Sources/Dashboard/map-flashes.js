// Geofences flash when a device enters or leaves: a ring that fades. The style sheet animates it, so the canvases need not be redrawn.

import { L } from './map-canvas.js';
import { mapState } from './map-state.js';

/** Milliseconds, as in the style sheet. */
const duration = 2000;
const most = 12;
const smallest = 28;

/** @param {string} geofenceId @param {'enter'|'exit'|'dwell'} type */
export function flash(geofenceId, type) {
  const { map } = mapState;
  const fence = mapState.geofences.get(geofenceId);
  if (!map || !fence) return;
  const pane = map.getPane('flashes');
  if (pane.childElementCount >= most) return;
  const scale = 256 * 2 ** map.getZoom();
  const size = Math.max(smallest, fence.sizeAt(scale) + 8);
  const [x0, y0, x1, y1] = fence.box;
  const place = L.point(((x0 + x1) / 2) * scale, ((y0 + y1) / 2) * scale).subtract(map.getPixelOrigin());
  const ring = L.DomUtil.create('div', `map-flash ${type}`, pane);
  ring.dataset.geofence = geofenceId;
  ring.style.width = ring.style.height = `${size}px`;
  ring.style.margin = `${-size / 2}px`;
  L.DomUtil.setPosition(ring, place);
  const inner = L.DomUtil.create('div', '', ring);
  inner.style.borderWidth = `${Math.min(6, Math.max(3, size / 20))}px`;
  setTimeout(() => ring.remove(), duration);
}

/** Removes all flashes, for example when the map zooms. */
export const clearFlashes = () => mapState.map?.getPane('flashes')?.replaceChildren();
