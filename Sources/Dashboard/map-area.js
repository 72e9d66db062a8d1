// The part of the earth in view, and the larger one around it that is loaded.

import { mapState } from './map-state.js';
import { wrapLongitude } from './geodesy.js';

/** @typedef {'all'|[number, number, number, number]} Area West, south, east, north in degrees, west from -180 to 180 and east after it. */

/** So much of the view's width and height is loaded beyond each edge. */
const margin = 0.5;
/** An area so many times as large as the one in view is too large to keep asking for. */
const largest = 5;

/** The area in view with a margin; what is loaded. @returns {Area} */
export function areaToLoad() {
  if (!mapState.map) return 'all';
  const bounds = mapState.map.getBounds();
  const [width, height] = [bounds.getEast() - bounds.getWest(), bounds.getNorth() - bounds.getSouth()];
  if (width * (1 + 2 * margin) >= 300) return 'all';
  const west = wrapLongitude(bounds.getWest() - margin * width);
  return [west, Math.max(-90, bounds.getSouth() - margin * height), west + width * (1 + 2 * margin), Math.min(90, bounds.getNorth() + margin * height)];
}

/** The parameter `bbox` of a request, with its `&`. @param {Area} area */
export const boxParameter = (area) => (area === 'all' ? '' : `&bbox=${asBox(area).map((value) => value.toFixed(6)).join(',')}`);

/** An area as the service takes it: east is less than west across the antimeridian. @param {[number, number, number, number]} area */
export const asBox = ([west, south, east, north]) => [west, south, east > 180 ? east - 360 : east, north];

/** Whether a place is in an area. @param {Area} area */
export function isIn(area, latitude, longitude) {
  if (area === 'all') return true;
  const [west, south, east, north] = area;
  const turned = longitude + 360 * Math.ceil((west - longitude) / 360);
  return latitude >= south && latitude <= north && turned <= east;
}

/** Whether an area that is loaded still serves the view: it covers it, and is not far too large for it. @param {Area|null} area */
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
