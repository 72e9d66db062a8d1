// The map view: geofences and devices on a map, and beside it a panel with a list, a search and the details of what is selected.

import './words-map.js';
import { h } from './dom.js';
import { loaded } from './loaded.js';
import { createMap } from './map-canvas.js';
import { CanvasLayer } from './map-canvas-layer.js';
import { geofencesKey, loadGeofences } from './map-geofences.js';
import { mercator } from './map-shapes.js';
import { mapState, onRedraw, select, tools } from './map-state.js';
import { button, heading } from './parts.js';
import { resource } from './state.js';
import { t } from './translate.js';

/** @type {ReturnType<typeof createMap>|null} */
let shownMap = null;

export const title = () => t('nav.map');

/** @param {string[]} parts */
export function view(parts) {
  return [h('div', { class: 'map-view', 'data-key': 'map-view' },
    h('div', { class: 'map-stage', id: 'map', 'data-key': 'map', 'data-own-content': true }),
    h('aside', { class: 'map-panel', id: 'map-panel', 'data-key': 'panel', 'aria-labelledby': 'view-title' },
      heading(t('nav.map')),
      tools.map((tool) => tool.panel?.()).find(Boolean) ?? panel(parts)))];
}

function panel(parts) {
  const { selection } = mapState;
  return [
    h('p', { class: 'actions', 'data-key': 'tools' }, tools.map((tool) => tool.actions?.(parts))),
    selection ? details(selection) : loaded(geofencesKey, resource(geofencesKey, loadGeofences), list),
  ];
}

const details = (selection) => h('section', { id: 'map-details', 'data-key': 'details' },
  h('h2', {}, h('bdi', {}, mapState.geofences.get(selection.id)?.value.name ?? selection.id)),
  tools.map((tool) => tool.details?.(selection)),
  h('p', {}, button(t('close'), () => select(null), { key: 'close' })));

const list = () => h('ul', { class: 'list', id: 'map-geofences' }, [...mapState.geofences.values()].slice(0, 50).map(({ value }) =>
  h('li', { 'data-key': value.id }, button(value.name, () => select({ kind: 'geofence', id: value.id }), { kind: 'plain' }))));

/** Called after each drawing of the page. */
export function shown() {
  const element = document.getElementById('map');
  if (shownMap || !element) return;
  shownMap = createMap(element);
  const layer = new CanvasLayer(draw);
  onRedraw(() => layer.redraw());
  mapState.map = shownMap.map;
  mapState.fit = shownMap.fit;
  layer.addTo(shownMap.map);
  for (const tool of tools) tool.started?.(shownMap.map);
}

/** Called when another view takes its place. */
export function left() {
  if (!shownMap) return;
  for (const tool of tools) tool.stopped?.(shownMap.map);
  onRedraw(() => {});
  shownMap.destroy();
  shownMap = null;
  Object.assign(mapState, { map: null, fit: null, selection: null });
}

function draw(context, { scale, left: x0, top: y0 }) {
  context.beginPath();
  for (const { outlines, value } of mapState.geofences.values()) {
    if (mapState.hiddenGeofences.has(value.id)) continue;
    for (const ring of outlines.flat()) {
      ring.forEach(([latitude, longitude], index) => {
        const [x, y] = mercator(latitude, longitude);
        if (index) context.lineTo(x * scale - x0, y * scale - y0);
        else context.moveTo(x * scale - x0, y * scale - y0);
      });
      context.closePath();
    }
  }
  context.strokeStyle = '#0b5cad';
  context.stroke();
}
