// The shape of the draft on the map, with the handles that move and resize it.

import { h } from './dom.js';
import { onDrag } from './edit-drag.js';
import { canRemove, geometryOf, middleOf, middleOfEdge, turnsTowards, withCornerAdded, withCornerMoved } from './edit-outline.js';
import { azimuthBetween, distanceBetween, movedParts, placeAt } from './edit-moves.js';
import { draw, editing, update } from './edit-state.js';
import { removeSelectedCorner } from './edit-corners.js';
import { formatLength } from './format.js';
import { circleRing } from './geodesy.js';
import { L } from './map-canvas.js';
import { outlinesOf } from './map-shapes.js';
import { mapState } from './map-state.js';
import { style } from './preferences.js';
import { changed } from './state.js';
import { t } from './translate.js';

/** The maximum number of visible corners for which handles are shown. */
const mostHandles = 150;
/** CSS pixels by which an arrow key moves a handle. */
const keyStep = 8;

/**
 * The multiple of 360 degrees by which a shape is moved to the visible copy of the world.
 *
 * @param {L.Map} map
 * @param {import('./edit-draft.js').DraftShape} shape
 */
const turnOf = (map, shape) => turnsTowards(shape.kind === 'circle' ? shape.longitude : middleOf(shape.parts).longitude, map.getCenter().lng);

/** @param {import('./edit-draft.js').DraftShape} shape @param {number} turn @param {number} zoom @returns {[number, number][][][]} For Leaflet. */
function outlinesOfShape(shape, turn, zoom) {
  const outlines = untouched(shape, zoom);
  return turn ? outlines.map((rings) => rings.map((ring) => ring.map(([latitude, longitude]) => [latitude, longitude + turn]))) : outlines;
}

/** The outlines. A circle gets so many points that it differs from the ground by less than half a pixel, even if only a part is visible. */
function untouched(shape, zoom) {
  if (shape.kind !== 'circle') return outlinesOf({ geometry: geometryOf(shape.parts) });
  const { latitude, longitude, radius } = shape;
  const isPolar = Math.abs(latitude) + radius / 110_000 >= 90;
  if (isPolar) return outlinesOf(shape);
  const pixels = (radius * 2 ** zoom) / (156_543 * Math.cos((latitude * Math.PI) / 180));
  return [[circleRing(latitude, longitude, radius, Math.round(Math.min(512, Math.max(96, 4 * Math.sqrt(pixels)))))]];
}

const placeOf = ({ lat, lng }) => ({ latitude: lat, longitude: lng });

/** Moves the map if the draft is not visible, for example after a coordinate was typed. */
export function bringIntoView() {
  const { map, fit } = mapState;
  const shape = editing.draft?.shape;
  if (!map || !shape) return;
  const places = outlinesOfShape(shape, turnOf(map, shape), map.getZoom()).flat(2);
  if (!map.getBounds().intersects(L.latLngBounds(places))) fit(places);
}

let hidesCorners = false;

/** Whether the handles of the corners are hidden because too many are visible. */
export const areCornersHidden = () => hidesCorners;

/** The layers of the draft on a map. @param {L.Map} map */
export function editShape(map) {
  const renderer = L.svg({ padding: 0.5 });
  let area = null;
  let label = null;
  /** @type {Map<string, {marker: L.Marker, stop: () => void}>} The handles by their keys. */
  const handles = new Map();
  /** Whether a handle is being dragged. Its corner then keeps its index. */
  let isDragging = false;
  let turn = 0;

  function refresh() {
    const shape = editing.draft?.shape;
    if (!shape) return remove();
    if (!isDragging) turn = turnOf(map, shape);
    const outlines = outlinesOfShape(shape, turn, map.getZoom());
    if (!area) {
      area = L.polygon(outlines, { renderer, className: 'edit-area', interactive: true, smoothFactor: 0 }).addTo(map);
      onDrag(area.getElement(), dragArea);
    } else {
      area.setLatLngs(outlines);
    }
    area.getElement()?.classList.toggle('edit-drawing-area', editing.isDrawing);
    const wanted = editing.isDrawing && shape.kind === 'polygons' ? [] : handlesOf(shape);
    showHandles(wanted);
    showLabel(shape);
  }

  function remove() {
    area?.remove();
    label?.remove();
    [area, label] = [null, null];
    showHandles([]);
  }

  // MARK: Handles

  const at = ({ latitude, longitude }) => L.latLng(latitude, longitude + turn);

  /** @returns {{key: string, place: L.LatLng, kind: string, name: string, drag: object, isChosen?: boolean}[]} */
  function handlesOf(shape) {
    if (shape.kind === 'circle') {
      const edge = placeAt(shape, editing.handleAzimuth, shape.radius);
      return [
        { key: 'center', kind: 'center', place: at(shape), name: t('Center. The arrow keys move the circle.'), move: (place) => draw({ ...shape, ...place }) },
        { key: 'edge', kind: 'edge', place: at(edge), name: t('Edge. The arrow keys change the radius.'), move: (place) => resize(shape, place) },
      ];
    }
    return cornerHandles(shape);
  }

  function resize(shape, place) {
    const radius = distanceBetween(shape, place);
    if (radius > 0) draw({ ...shape, radius }, { handleAzimuth: azimuthBetween(shape, place) });
  }

  function cornerHandles({ parts }) {
    const bounds = map.getBounds().pad(0.05);
    const found = [];
    parts.forEach((rings, part) => rings.forEach((ring, number) => ring.forEach((place, corner) => {
      const where = { part, ring: number, corner };
      const position = at(place);
      const isChosen = isSame(editing.corner, where);
      if (isChosen || bounds.contains(position)) {
        found.push({
          key: `corner ${part} ${number} ${corner}`, kind: 'corner', place: position, isChosen, where,
          name: t('Corner {number}. The arrow keys move it, Delete removes it.', { number: corner + 1 }),
          move: (moved) => draw({ kind: 'polygons', parts: withCornerMoved(parts, where, moved) }, { corner: where }),
        });
      }
      const middle = at(middleOfEdge(ring, corner));
      if (bounds.contains(middle)) {
        found.push({
          key: `middle ${part} ${number} ${corner}`, kind: 'middle', place: middle, where,
          name: t('Middle of the edge after corner {number}. Enter adds a corner.', { number: (corner || ring.length) }),
          begin: (added) => draw({ kind: 'polygons', parts: withCornerAdded(parts, where, added) }, { corner: where }),
          move: (moved) => draw({ kind: 'polygons', parts: withCornerMoved(withCornerAdded(parts, where, moved), where, moved) }, { corner: where }),
        });
      }
    })));
    const corners = found.filter(({ kind }) => kind === 'corner').length;
    if (hidesCorners !== corners > mostHandles) {
      hidesCorners = !hidesCorners;
      changed();
    }
    return hidesCorners ? [] : found;
  }

  function showHandles(wanted) {
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, { marker, stop }] of handles) {
      // The handle being dragged keeps the pointer until it is released.
      if (keys.has(key) || marker.isDragged) continue;
      stop();
      marker.remove();
      handles.delete(key);
    }
    for (const handle of wanted) {
      const known = handles.get(handle.key) ?? addHandle(handle);
      known.marker.setLatLng(handle.place);
      known.handle = handle;
      const element = known.marker.getElement();
      element.setAttribute('aria-label', handle.name);
      element.classList.toggle('chosen', Boolean(handle.isChosen));
    }
  }

  function addHandle(handle) {
    const html = h('span', {});
    const icon = L.divIcon({ className: `edit-handle ${handle.kind}`, iconSize: [28, 28], html });
    const marker = L.marker(handle.place, { icon, keyboard: false, interactive: false, zIndexOffset: handle.kind === 'middle' ? 0 : 1000 }).addTo(map);
    const element = marker.getElement();
    element.setAttribute('role', 'button');
    element.setAttribute('tabindex', '0');
    element.dataset.handle = handle.key;
    const entry = { marker, handle, stop: () => {} };
    handles.set(handle.key, entry);
    entry.stop = onDrag(element, (event) => dragHandle(entry, event));
    element.addEventListener('keydown', (event) => pressKey(entry, event));
    element.addEventListener('focus', () => { if (entry.handle.kind === 'corner') choose(entry.handle.where); });
    L.DomEvent.on(element, 'click dblclick', L.DomEvent.stopPropagation);
    return entry;
  }

  function choose(where) {
    if (!isSame(editing.corner, where)) update({ corner: where });
  }

  /** Returns a function that converts pointer events to positions, with the offset at which the handle was grabbed. */
  function grip(place, event) {
    const offset = map.latLngToContainerPoint(place).subtract(map.mouseEventToContainerPoint(event));
    return (moved) => {
      const { latitude, longitude } = placeOf(map.containerPointToLatLng(map.mouseEventToContainerPoint(moved).add(offset)));
      return { latitude: Math.max(-85, Math.min(85, latitude)), longitude: longitude - turn };
    };
  }

  function dragHandle(entry, event) {
    const { handle, marker } = entry;
    const before = { draft: editing.draft, corner: editing.corner, handleAzimuth: editing.handleAzimuth };
    const follow = grip(handle.place, event);
    if (handle.where && handle.kind === 'corner') choose(handle.where);
    marker.isDragged = true;
    isDragging = true;
    const stop = () => {
      marker.isDragged = false;
      isDragging = false;
    };
    return {
      move: (moved) => handle.move(follow(moved)),
      end: () => {
        stop();
        refresh();
      },
      cancel: () => {
        stop();
        update(before);
      },
    };
  }

  function dragArea(event) {
    const { shape } = editing.draft;
    // If the shape fills the map, dragging inside of it moves the map.
    if (editing.isDrawing || area.getBounds().contains(map.getBounds())) return null;
    const before = { draft: editing.draft };
    const start = shape.kind === 'circle' ? shape : middleOf(shape.parts);
    const follow = grip(at(start), event);
    isDragging = true;
    return {
      move(moved) {
        const place = follow(moved);
        draw(shape.kind === 'circle' ? { ...shape, ...place } : { kind: 'polygons', parts: movedParts(shape.parts, start, place) });
      },
      end: () => { isDragging = false; },
      cancel: () => {
        isDragging = false;
        update(before);
      },
    };
  }

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function pressKey({ handle }, event) {
    const arrow = arrows[event.key];
    if (arrow) {
      const point = map.latLngToContainerPoint(handle.place).add(L.point(arrow).multiplyBy(event.shiftKey ? 1 : keyStep));
      const { latitude, longitude } = placeOf(map.containerPointToLatLng(point));
      handle.move({ latitude, longitude: longitude - turn });
      if (handle.kind === 'middle') focusHandle(`corner ${handle.where.part} ${handle.where.ring} ${handle.where.corner}`);
    } else if (handle.kind === 'corner' && (event.key === 'Delete' || event.key === 'Backspace')) {
      if (!canRemove(editing.draft.shape.parts, handle.where)) return;
      removeSelectedCorner();
      focusHandle(`corner ${handle.where.part} ${handle.where.ring} 0`);
    } else if (handle.kind === 'middle' && (event.key === 'Enter' || event.key === ' ')) {
      handle.begin(placeOf(L.latLng(handle.place.lat, handle.place.lng - turn)));
      focusHandle(`corner ${handle.where.part} ${handle.where.ring} ${handle.where.corner}`);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  const focusHandle = (key) => handles.get(key)?.marker.getElement().focus({ preventScroll: true });

  // MARK: The radius

  function showLabel(shape) {
    if (shape.kind !== 'circle') {
      label?.remove();
      label = null;
      return;
    }
    const place = at(placeAt(shape, editing.handleAzimuth, shape.radius));
    const text = formatLength(shape.radius, style());
    if (!label) {
      const icon = L.divIcon({ className: 'edit-label', iconSize: null, html: h('span', { 'aria-hidden': 'true' }) });
      label = L.marker(place, { icon, keyboard: false, interactive: false }).addTo(map);
    }
    label.setLatLng(place);
    label.getElement().firstChild.textContent = text;
  }

  const moved = () => { if (!isDragging) refresh(); };
  map.on('moveend zoomend', moved);
  refresh();

  return {
    refresh,
    remove() {
      map.off('moveend zoomend', moved);
      remove();
    },
  };
}

const isSame = (a, b) => Boolean(a) && a.part === b.part && a.ring === b.ring && a.corner === b.corner;
