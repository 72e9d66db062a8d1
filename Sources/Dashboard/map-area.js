// The visible part of the earth, and the larger part around it that is loaded.

import { mapState } from './map-state.js';
import { wrapLongitude } from './geodesy.js';

/**
 * @typedef {'all'|[number, number, number, number]} Area West, south, east, north in degrees. West is from -180 to 180, and east is greater
 * than west.
 */

/** The share of the view's width and height that is loaded beyond each edge. */
const margin = 0.5;
/** An area this many times as large as the visible one is too large to keep. */
const largest = 5;

/** The visible area with a margin, which is to be loaded. @returns {Area} */
export function areaToLoad() {
  if (!mapState.map) return 'all';
  const bounds = mapState.map.getBounds();
  const [width, height] = [bounds.getEast() - bounds.getWest(), bounds.getNorth() - bounds.getSouth()];
  if (width * (1 + 2 * margin) >= 300) return 'all';
  const west = wrapLongitude(bounds.getWest() - margin * width);
  return [west, Math.max(-90, bounds.getSouth() - margin * height), west + width * (1 + 2 * margin), Math.min(90, bounds.getNorth() + margin * height)];
}

/** The parameter `bbox` of a request, including the `&`. @param {Area} area */
export const boxParameter = (area) => (area === 'all' ? '' : `&bbox=${asBox(area).map((value) => value.toFixed(6)).join(',')}`);

/**
 * An area in the service's format, in which east is less than west if it crosses the antimeridian.
 *
 * @param {[number, number, number, number]} area
 */
export const asBox = ([west, south, east, north]) => [west, south, east > 180 ? east - 360 : east, north];

/** Whether a position is in an area. @param {Area} area */
export function isIn(area, latitude, longitude) {
  if (area === 'all') return true;
  const [west, south, east, north] = area;
  const turned = longitude + 360 * Math.ceil((west - longitude) / 360);
  return latitude >= south && latitude <= north && turned <= east;
}

/** Whether a loaded area is still suitable for the view: it covers the view, and is not much too large. @param {Area|null} area */
export function serves(area) {
  if (!area || !mapState.map) return false;
  const bounds = mapState.map.getBounds();
  const wanted = areaToLoad();
  if (area === 'all') return true;
  if (wanted === 'all') return false;
  const [west, south, east, north] = area;
  const width = bounds.getEast() - bounds.getWest();
  const from = bounds.getWest() + 360 * Math.ceil((west - bounds.getWest()) / 360);
  return from + width <= east && Math.max(-90, bounds.getSouth()) >= south && Math.min(90, bounds.getNorth()) <= north
    && east - west <= largest * (wanted[2] - wanted[0]);
}
