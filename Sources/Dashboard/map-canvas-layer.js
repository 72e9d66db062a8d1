// A map layer that a function draws on a canvas, for content with too many elements for Leaflet paths.

import * as L from './leaflet/leaflet.esm.min.js';

/**
 * @typedef {object} CanvasView The part of the map to draw. A point of `mercator` is drawn at `x * scale - left`, `y * scale - top`.
 * @property {number} zoom
 * @property {number} scale The width of the world in pixels.
 * @property {number} left
 * @property {number} top
 * @property {number} width The width of the canvas in CSS pixels.
 * @property {number} height
 * @property {[number, number, number, number]} part Left, top, right and bottom of the part to draw. Nothing outside of it has to be drawn.
 */

/** The maximum number of pixels by which drawn objects extend beyond their outlines. */
const partMargin = 8;

/**
 * `new CanvasLayer((context, view) => …, { pane, padding, isEveryMove })`. `redraw()` draws once in the next frame, however often it is
 * called. `padding` is the share of the view that is drawn beyond each edge, for when the map is moved. With `isEveryMove`, the layer is
 * redrawn at every move. With `isShifted`, the drawing is moved, and only the parts that become visible are drawn.
 */
export const CanvasLayer = L.Layer.extend({
  options: { pane: 'overlayPane', padding: 0.25, isEveryMove: false, isShifted: false },

  initialize(draw, options) {
    L.setOptions(this, options);
    this._draw = draw;
  },

  onAdd(map) {
    this._canvas = L.DomUtil.create('canvas', `map-layer ${map.options.zoomAnimation ? 'leaflet-zoom-animated' : ''}`.trim());
    this._context = this._canvas.getContext('2d');
    this.getPane().append(this._canvas);
    this._drawNow();
  },

  onRemove() {
    cancelAnimationFrame(this._frame);
    cancelAnimationFrame(this._partsFrame);
    this._frame = this._partsFrame = undefined;
    this._parts = null;
    this._canvas.remove();
  },

  getEvents() {
    const events = { moveend: this._shift, viewreset: this._drawNow, move: this._moved, zoom: this._scaled };
    if (this._map.options.zoomAnimation) events.zoomanim = this._zoomed;
    return events;
  },

  redraw() {
    this._frame ??= requestAnimationFrame(() => {
      this._frame = undefined;
      this._drawNow();
    });
  },

  /**
   * Redraws a part of the canvas in the next frame.
   *
   * @param {[number, number, number, number]} box West, north, east, south in the coordinates of `mercator`.
   */
  redrawPart(box) {
    this._parts ??= [];
    this._parts.push(box);
    this._partsFrame ??= requestAnimationFrame(() => {
      this._partsFrame = undefined;
      const parts = this._parts ?? [];
      this._parts = null;
      if (this._map && this._view && !this._map._animatingZoom) parts.forEach((part) => this._drawPart(part));
    });
  },

  _drawPart([x0, y0, x1, y1]) {
    const { scale, left, top, width, height } = this._view;
    for (let shift = Math.floor(left / scale) - 1; shift <= Math.floor((left + width) / scale) + 1; shift += 1) {
      const x = Math.floor((x0 + shift) * scale - left) - partMargin;
      const y = Math.floor(y0 * scale - top) - partMargin;
      const [w, h] = [Math.ceil((x1 - x0) * scale) + 2 * partMargin, Math.ceil((y1 - y0) * scale) + 2 * partMargin];
      if (x > width || y > height || x + w < 0 || y + h < 0) continue;
      this._drawRectangle(x, y, w, h);
    }
  },

  _drawRectangle(x, y, width, height) {
    const context = this._context;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.clearRect(x, y, width, height);
    this._draw(context, { ...this._view, part: [x, y, x + width, y + height] });
    context.restore();
  },

  /** Moves the drawing to its new place, and draws the parts that became visible. */
  _shift() {
    const map = this._map;
    const before = this._view;
    if (map._animatingZoom) return;
    if (!this.options.isShifted || !before || this._zoom !== map.getZoom() || this._frame !== undefined) {
      this._drawNow();
      return;
    }
    const padding = map.getSize().multiplyBy(this.options.padding).round();
    const position = map.containerPointToLayerPoint(padding.multiplyBy(-1));
    const origin = map.getPixelOrigin().add(position);
    const [dx, dy] = [origin.x - before.left, origin.y - before.top];
    const isSameSize = map.getSize().x + 2 * padding.x === this._width && map.getSize().y + 2 * padding.y === this._height;
    const isWhole = [dx, dy].every((pixels) => Number.isInteger(pixels * devicePixelRatio));
    if (!isSameSize || !isWhole || Math.abs(dx) >= this._width || Math.abs(dy) >= this._height) {
      this._drawNow();
      return;
    }
    this._corner = map.layerPointToLatLng(position);
    this._view = { ...before, left: origin.x, top: origin.y };
    L.DomUtil.setPosition(this._canvas, position);
    if (dx === 0 && dy === 0) return;
    const context = this._context;
    context.save();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalCompositeOperation = 'copy';
    context.drawImage(this._canvas, -dx * devicePixelRatio, -dy * devicePixelRatio);
    context.restore();
    if (dx !== 0) this._drawRectangle(dx > 0 ? this._width - dx : 0, 0, Math.abs(dx), this._height);
    if (dy !== 0) this._drawRectangle(0, dy > 0 ? this._height - dy : 0, this._width, Math.abs(dy));
  },

  /** Redraws while the map is moved, if an edge of the canvas becomes visible. */
  _moved() {
    if (this._map._animatingZoom) return;
    if (this.options.isEveryMove) {
      this._drawNow();
      return;
    }
    const size = this._map.getSize();
    const corner = this._map.layerPointToContainerPoint(L.DomUtil.getPosition(this._canvas));
    if (this._zoom !== this._map.getZoom()) return;
    const isCovered = corner.x <= 0 && corner.y <= 0
      && corner.x + this._width >= size.x && corner.y + this._height >= size.y;
    if (!isCovered) this._shift();
  },

  /** Scales the drawing while the map zooms frame by frame, for example with two fingers. */
  _scaled() {
    if (this._map._animatingZoom || this._zoom === this._map.getZoom()) return;
    if (this.options.isEveryMove) this._drawNow();
    else L.DomUtil.setTransform(this._canvas, this._map.latLngToLayerPoint(this._corner), this._map.getZoomScale(this._map.getZoom(), this._zoom));
  },

  /** Scales the drawing during an animated zoom. */
  _zoomed(event) {
    const scale = this._map.getZoomScale(event.zoom, this._zoom);
    const offset = this._map._latLngToNewLayerPoint(this._corner, event.zoom, event.center);
    L.DomUtil.setTransform(this._canvas, offset, scale);
  },

  _drawNow() {
    const map = this._map;
    if (!map || map._animatingZoom) return;
    const size = map.getSize();
    const padding = size.multiplyBy(this.options.padding).round();
    const position = map.containerPointToLayerPoint(padding.multiplyBy(-1));
    const ratio = devicePixelRatio;
    this._zoom = map.getZoom();
    this._corner = map.layerPointToLatLng(position);
    this._width = size.x + 2 * padding.x;
    this._height = size.y + 2 * padding.y;
    const [width, height] = [Math.round(this._width * ratio), Math.round(this._height * ratio)];
    if (this._canvas.width !== width || this._canvas.height !== height) {
      Object.assign(this._canvas, { width, height });
      this._canvas.style.width = `${this._width}px`;
      this._canvas.style.height = `${this._height}px`;
    } else {
      this._context.setTransform(1, 0, 0, 1, 0, 0);
      this._context.clearRect(0, 0, width, height);
    }
    L.DomUtil.setPosition(this._canvas, position);
    this._context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const origin = map.getPixelOrigin().add(position);
    this._view = {
      zoom: this._zoom, scale: 256 * 2 ** this._zoom, left: origin.x, top: origin.y, width: this._width, height: this._height,
      part: [0, 0, this._width, this._height],
    };
    this._parts = null;
    this._draw(this._context, this._view);
  },
});
