// The grid lines of the plain map: in degrees for a wide view, and squares with a round length for a narrow one. Pure.

import { fromMercator } from './map-shapes.js';

const radian = Math.PI / 180;
const metersPerFoot = 0.3048;
const metersPerMile = 1609.344;
/** The number of visible degrees of longitude below which the grid has squares with a length. */
const widestOfLengths = 4;
const degreeSteps = [0.5, 1, 2, 5, 10, 15, 30, 45];

/** The smallest number that is 1, 2 or 5 times a power of ten and not less than a value. @param {number} value */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9));
  return factor * power;
}

/** The lengths in meters of a degree of latitude and of longitude at a latitude, on the WGS 84 ellipsoid. */
export function metersPerDegree(latitude) {
  const [a, e2] = [6_378_137, 0.00669437999014];
  const w = Math.sqrt(1 - e2 * Math.sin(latitude * radian) ** 2);
  return { latitude: (a * (1 - e2) * radian) / w ** 3, longitude: (a * Math.cos(latitude * radian) * radian) / w };
}

/**
 * The grid for a view.
 *
 * @param {{scale: number, left: number, top: number, width: number, height: number}} view A view of `CanvasLayer`.
 * @param {'metric'|'imperial'} units
 * @param {number} spacing The minimum number of pixels between two lines.
 * @returns {{length: number|null, digits: number, longitudes: {value: number, isStrong: boolean}[], latitudes: {value: number, isStrong: boolean}[]}}
 *     `length`: the side of a square in meters; null for a grid in degrees. `digits`: decimals of a line's label. Every fifth line is strong.
 */
export function gridOf({ scale, left, top, width, height }, units, spacing) {
  const [north, west] = fromMercator(left / scale, top / scale);
  const [south, east] = fromMercator((left + width) / scale, (top + height) / scale);
  const degreesPerPixel = 360 / scale;
  if (width * degreesPerPixel > widestOfLengths) {
    const step = degreeSteps.find((degrees) => degrees / degreesPerPixel >= spacing * 0.8) ?? 45;
    const latitudes = lines(Math.max(-80, south), Math.min(80, north), step, 0);
    return { length: null, digits: step < 1 ? 1 : 0, longitudes: lines(west, east, step, 0), latitudes };
  }
  const middle = Math.max(-85, Math.min(85, (north + south) / 2));
  // The reference latitude is rounded, so that the squares do not change while the view moves a little.
  const reference = Math.round(middle * 10) / 10;
  const meters = metersPerDegree(reference);
  const length = roundLength(spacing * degreesPerPixel * meters.longitude, units);
  const latitudeStep = length / meters.latitude;
  const longitudeStep = length / meters.longitude;
  return {
    length,
    digits: Math.max(1, Math.min(6, Math.ceil(-Math.log10(latitudeStep)) + 1)),
    longitudes: lines(west, east, longitudeStep, Math.round((west + east) / 2)),
    latitudes: lines(south, north, latitudeStep, reference),
  };
}

/** A round number of meters, or of feet or miles, that is not less than a length in meters. */
function roundLength(meters, units) {
  if (units !== 'imperial') return roundUp(meters);
  const isFeet = meters <= 2000 * metersPerFoot;
  return isFeet ? roundUp(meters / metersPerFoot) * metersPerFoot : roundUp(meters / metersPerMile) * metersPerMile;
}

function lines(from, to, step, origin) {
  const found = [];
  for (let index = Math.ceil((from - origin) / step); origin + index * step <= to; index += 1) {
    found.push({ value: origin + index * step, isStrong: index % 5 === 0 });
  }
  return found;
}

/**
 * A longitude or latitude with its direction, for example `52.5° N`.
 *
 * @param {number} value
 * @param {number} digits
 * @param {'latitude'|'longitude'} kind
 */
export function degreeLabel(value, digits, kind) {
  const wrapped = kind === 'longitude' ? ((((value + 180) % 360) + 360) % 360) - 180 : value;
  const rounded = Number(wrapped.toFixed(digits));
  const side = rounded === 0 ? '' : kind === 'latitude' ? (rounded > 0 ? ' N' : ' S') : rounded > 0 ? ' E' : ' W';
  return `${Math.abs(rounded).toFixed(digits)}°${side}`;
}
