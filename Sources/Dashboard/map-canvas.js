// A map on the page: Leaflet with the common background. Views create their maps with `createMap`.

import * as L from './leaflet/leaflet.esm.min.js';
import { h } from './dom.js';
import { addBackgroundPane, plainBackground } from './map-background.js';
import { onColors } from './map-colors.js';
import { mapLimit } from './map-shapes.js';
import { preferences } from './preferences.js';
import { app } from './state.js';
import { t } from './translate.js';

export { L };

/** Whether the person prefers reduced motion. */
export const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Creates a map that fills an element. The element needs a height from the style sheet and the attribute `data-own-content`. Paths
 * (`L.polyline`, `L.polygon`, `L.circleMarker`) are drawn on a canvas.
 *
 * @param {HTMLElement} parent
 * @param {{label?: string, isSmall?: boolean}} [options] `label`: the name for screen readers. `isSmall`: the map is in a page that
 *     scrolls, so that the mouse wheel scrolls the page.
 * @returns {{map: L.Map, fit: (places: [number, number][]|L.LatLngBounds, options?: object) => void, destroy: () => void}} `fit` shows all
 *     of the positions (latitude, longitude). `destroy` must be called when the map leaves the page.
 */
export function createMap(parent, { label = t('Map'), isSmall = false } = {}) {
  const isMoving = !isCalm();
  // The map needs its own element, because a redraw of the page removes the classes and attributes that Leaflet sets.
  const element = h('div', { class: 'map', role: 'region', 'aria-label': label });
  parent.append(element);
  const map = L.map(element, {
    preferCanvas: true, zoomControl: false, attributionControl: false, worldCopyJump: true, minZoom: 1, maxZoom: 21,
    scrollWheelZoom: !isSmall, zoomAnimation: isMoving, fadeAnimation: isMoving, inertia: isMoving,
  });
  map.setView([20, 0], 2, { animate: false });
  L.control.zoom({ position: 'topright', zoomInTitle: t('Zoom in'), zoomOutTitle: t('Zoom out') }).addTo(map);
  const isMetric = preferences().units === 'metric';
  L.control.scale({ position: 'bottomright', metric: isMetric, imperial: !isMetric }).addTo(map);
  addBackground(map);
  let isZooming = false;
  map.on('zoomanim', () => { isZooming = true; });
  map.on('zoomend', () => { isZooming = false; });
  const observer = new ResizeObserver(() => map.invalidateSize({ pan: false, animate: false }));
  observer.observe(element);
  return {
    map,
    fit(places, options) {
      const found = L.latLngBounds(places);
      if (!found.isValid()) return;
      // The map does not include the poles.
      const [south, north] = [found.getSouth(), found.getNorth()].map((latitude) => Math.max(-mapLimit, Math.min(mapLimit, latitude)));
      const bounds = [[south, found.getWest()], [north, found.getEast()]];
      map.fitBounds(bounds, { padding: [32, 32], maxZoom: 17, animate: isMoving, ...options });
    },
    destroy() {
      observer.disconnect();
      element.remove();
      // Leaflet ends a zoom animation with a timer that still needs the map.
      if (isZooming) map.once('zoomend', () => setTimeout(() => map.remove()));
      else map.remove();
    },
  };
}

/**
 * Adds tiles if the service has a tile server, otherwise the plain map. The plain map also replaces tiles that cannot be loaded.
 */
function addBackground(map) {
  addBackgroundPane(map);
  const plain = plainBackground();
  const redraw = () => plain.redraw();
  const endColors = onColors(redraw);
  map.on('unload', endColors);
  const { tiles, attribution } = app.session?.map ?? {};
  if (!tiles) {
    plain.addTo(map);
    return;
  }
  const layer = L.tileLayer(tiles, { maxNativeZoom: 19, maxZoom: 21 }).addTo(map);
  layer.on('tileerror', () => plain.addTo(map));
  if (attribution) addAttribution(map, attribution);
}

/** Shows the attribution of the tiles as text, because the setting could contain HTML. */
function addAttribution(map, text) {
  const control = L.control({ position: 'bottomright' });
  control.onAdd = () => h('p', { class: 'map-attribution' }, text);
  control.addTo(map);
}
