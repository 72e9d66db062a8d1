// Draws a new geofence on the map: a circle by dragging from its center, a polygon by clicking its corners.

import { h, patchChildren } from './dom.js';
import { onDrag, cancelDrag } from './edit-drag.js';
import { addCorner, cancelDrawing, drawnCorners, finishDrawing, focusName, isDrawingPolygon, removeLastCorner } from './edit-corners.js';
import { fewestCorners, turnsTowards } from './edit-outline.js';
import { azimuthBetween, distanceBetween } from './edit-moves.js';
import { overlapSummary } from './edit-overlaps.js';
import { draw, editing, update } from './edit-state.js';
import { L } from './map-canvas.js';
import { t } from './translate.js';

/** CSS pixels within which a click counts as a click on the first corner, and closes the outline. */
const closing = { mouse: 12, touch: 24 };
/** CSS pixels within which a second click belongs to a double click. */
const same = 6;
/** The radius in CSS pixels of a circle that is created by a tap without a drag. */
const tapRadius = 60;

/** Handles drawing on a map. @param {L.Map} map */
export function drawing(map) {
  const container = map.getContainer();
  const renderer = L.svg({ padding: 0.5 });
  const marks = L.layerGroup().addTo(map);
  const readout = h('div', { class: 'edit-readout', 'aria-hidden': 'true', hidden: true });
  container.append(readout);
  let isOn = false;
  let pointer = null;

  function refresh() {
    if (editing.isDrawing !== isOn) toggle();
    drawMarks();
    const lines = readoutLines();
    readout.hidden = lines.length === 0;
    patchChildren(readout, lines);
  }

  /** While something is drawn, a press does not move the map, and a double click ends a polygon instead of zooming. */
  function toggle() {
    isOn = editing.isDrawing;
    container.classList.toggle('edit-drawing', isOn);
    for (const handler of [map.doubleClickZoom, map.boxZoom]) if (isOn) handler?.disable(); else handler?.enable();
    if (isOn && !isDrawingPolygon()) map.dragging.disable();
    else map.dragging.enable();
    pointer = null;
  }

  function readoutLines() {
    if (!editing.draft) return [];
    return [editing.isDrawing ? h('p', {}, hintText()) : null, overlapSummary() && h('p', { class: 'warning-text' }, overlapSummary())].filter(Boolean);
  }

  function hintText() {
    if (!isDrawingPolygon()) return t('Drag from the center outward');
    const count = drawnCorners().length;
    if (count === 0) return t('Set the first corner');
    return count < fewestCorners ? t('Set the next corner') : t('Close at the first corner');
  }

  // MARK: A circle

  const placeOf = ({ lat, lng }) => ({ latitude: Math.max(-85, Math.min(85, lat)), longitude: lng });

  function dragCircle(event) {
    if (!isOn || isDrawingPolygon() || event.shiftKey || event.target.closest('.leaflet-control, .edit-handle')) return null;
    const start = map.mouseEventToLatLng(event);
    const center = placeOf(start);
    const before = { draft: editing.draft };
    const reach = (moved) => {
      const place = placeOf(map.mouseEventToLatLng(moved));
      const radius = distanceBetween(center, place);
      draw({ kind: 'circle', ...center, radius }, radius > 0 ? { handleAzimuth: azimuthBetween(center, place) } : {});
    };
    let isTap = true;
    return {
      move(moved) {
        isTap = false;
        reach(moved);
      },
      end() {
        if (isTap) {
          const edge = map.containerPointToLatLng(map.latLngToContainerPoint(start).add([tapRadius, 0]));
          draw({ kind: 'circle', ...center, radius: rounded(distanceBetween(center, placeOf(edge))) });
        }
        update({ isDrawing: false });
        focusName();
      },
      cancel: () => update(before),
    };
  }

  // MARK: A polygon

  /** The positions of corners on the map. */
  const at = (corners) => {
    const turn = corners.length ? turnsTowards(corners[0].longitude, map.getCenter().lng) : 0;
    return corners.map(({ latitude, longitude }) => L.latLng(latitude, longitude + turn));
  };

  function click(event) {
    if (!isOn || !isDrawingPolygon()) return;
    const points = at(drawnCorners()).map((place) => map.latLngToContainerPoint(place));
    const isNear = (point, pixels) => Boolean(point) && point.distanceTo(event.containerPoint) <= pixels;
    const reach = matchMedia('(pointer: coarse)').matches ? closing.touch : closing.mouse;
    if (points.length >= fewestCorners && isNear(points[0], reach)) return finishDrawing();
    // This is the second click of a double click.
    if (isNear(points.at(-1), same)) return undefined;
    return addCorner(placeOf(event.latlng));
  }

  function doubleClick() {
    if (isOn && isDrawingPolygon() && drawnCorners().length >= fewestCorners) finishDrawing();
  }

  function hover(event) {
    if (!isOn || !isDrawingPolygon()) return;
    pointer = event.latlng;
    drawMarks();
  }

  function drawMarks() {
    marks.clearLayers();
    if (!isOn || !isDrawingPolygon()) return;
    const corners = at(drawnCorners());
    if (!corners.length) return;
    const line = pointer ? [...corners, pointer] : corners;
    marks.addLayer(L.polyline(line, { renderer, className: 'edit-line', interactive: false }));
    const canClose = corners.length >= fewestCorners;
    corners.forEach((corner, index) => marks.addLayer(L.circleMarker(corner, {
      renderer, radius: index === 0 ? 7 : 5, className: index === 0 && canClose ? 'edit-corner first' : 'edit-corner', interactive: false,
    })));
  }

  // MARK: Keys

  function key(event) {
    if (!editing.draft || event.defaultPrevented || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape') {
      // Escape cancels a drag first, then the drawing. Editing an existing geofence ends only with the form's button.
      if (cancelDrag()) event.preventDefault();
      else if (editing.isDrawing && !isTypedIn(event.target)) {
        cancelDrawing();
        event.preventDefault();
      }
      return;
    }
    if (!isOn || !isDrawingPolygon() || event.target.closest('input, textarea, select, button, a, summary')) return;
    if (event.key === 'Enter') finishDrawing();
    else if (event.key === 'Backspace') removeLastCorner();
    else return;
    event.preventDefault();
  }

  const stopDragging = onDrag(container, dragCircle);
  map.on({ click, dblclick: doubleClick, mousemove: hover, moveend: drawMarks });
  document.addEventListener('keydown', key);
  refresh();

  return {
    refresh,
    remove() {
      stopDragging();
      map.off({ click, dblclick: doubleClick, mousemove: hover, moveend: drawMarks });
      document.removeEventListener('keydown', key);
      marks.remove();
      readout.remove();
    },
  };
}

/** Whether the person types in this element and something was typed. A key must not discard this input. */
const isTypedIn = (element) => element.matches('input, textarea')
  && [...document.querySelectorAll('#edit-form input[type=text], #edit-form textarea')].some(({ value }) => value.trim());

/** A radius rounded to two significant digits. */
const rounded = (meters) => Number(meters.toPrecision(2));
