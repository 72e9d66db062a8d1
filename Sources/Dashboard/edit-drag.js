// Tracks a pointer from press to release while something is dragged on the map.

import { L } from './map-canvas.js';

/** Cancels the current drag and restores the original state; null if nothing is being dragged. */
let cancelCurrent = null;

/** Cancels the current drag. Returns whether there was one. */
export function cancelDrag() {
  if (!cancelCurrent) return false;
  cancelCurrent();
  return true;
}

/**
 * Makes an element draggable without moving the map.
 *
 * @param {HTMLElement|SVGElement} element
 * @param {(event: PointerEvent) => {move: (event: PointerEvent) => void, end?: (event: PointerEvent) => void, cancel: () => void}|null} begin
 *     Called when a pointer is pressed; returns null to ignore it. `cancel` restores what was dragged.
 * @returns {() => void} Removes the listeners.
 */
export function onDrag(element, begin) {
  let isTaken = false;
  const press = (event) => {
    isTaken = false;
    if (cancelCurrent || event.button !== 0 || !event.isPrimary) return;
    const drag = begin(event);
    if (!drag) return;
    isTaken = true;
    // Leaflet also listens for presses, and would move the map.
    event.stopPropagation();
    follow(element, event, drag);
  };
  const shield = (event) => { if (isTaken) event.stopPropagation(); };
  element.addEventListener('pointerdown', press);
  for (const type of ['mousedown', 'touchstart']) element.addEventListener(type, shield);
  return () => {
    element.removeEventListener('pointerdown', press);
    for (const type of ['mousedown', 'touchstart']) element.removeEventListener(type, shield);
  };
}

/** CSS pixels by which a pointer has to move to count as a drag. */
const tremor = 3;

function follow(element, { pointerId, clientX, clientY }, drag) {
  let hasMoved = false;
  element.setPointerCapture(pointerId);
  L.DomUtil.disableTextSelection();
  const listeners = {
    pointermove: (event) => {
      if (event.pointerId !== pointerId) return;
      hasMoved ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) > tremor;
      if (hasMoved) drag.move(event);
    },
    pointerup: (event) => {
      if (event.pointerId !== pointerId) return;
      stop();
      drag.end?.(event);
    },
    // The system has taken over the pointer, or a second finger zooms the map.
    pointercancel: () => cancel(),
  };
  const second = (event) => { if (event.pointerId !== pointerId) cancel(); };
  for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
  window.addEventListener('pointerdown', second, true);
  function stop() {
    for (const [type, listener] of Object.entries(listeners)) element.removeEventListener(type, listener);
    window.removeEventListener('pointerdown', second, true);
    L.DomUtil.enableTextSelection();
    if (element.hasPointerCapture(pointerId)) element.releasePointerCapture(pointerId);
    cancelCurrent = null;
  }
  function cancel() {
    stop();
    drag.cancel();
  }
  cancelCurrent = cancel;
}
