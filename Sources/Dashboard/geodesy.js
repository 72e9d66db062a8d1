// Distances and directions on the WGS 84 ellipsoid. Pure.
//
// Source: T. Vincenty, "Direct and Inverse Solutions of Geodesics on the Ellipsoid with Application of Nested Equations", Survey Review
// XXII, 176, April 1975. The error of its series is less than one millimeter. The inverse solution does not converge for points that are
// almost antipodal; `inverse` then returns the distance on a sphere.

const equatorialRadius = 6_378_137;
const flattening = 1 / 298.257223563;
const polarRadius = equatorialRadius * (1 - flattening);
const radian = Math.PI / 180;

/** A longitude in the range from -180 up to, but not including, 180 degrees. @param {number} longitude */
export const wrapLongitude = (longitude) => ((((longitude + 180) % 360) + 360) % 360) - 180;

/** The coefficients A and B of Vincenty's equations 3 and 4. */
function coefficients(cosSquaredAlpha) {
  const u2 = (cosSquaredAlpha * (equatorialRadius ** 2 - polarRadius ** 2)) / polarRadius ** 2;
  return [
    1 + (u2 / 16384) * (4096 + u2 * (-768 + u2 * (320 - 175 * u2))),
    (u2 / 1024) * (256 + u2 * (-128 + u2 * (74 - 47 * u2))),
  ];
}

/** The difference between the angular distances on the sphere and on the ellipsoid (equation 6). */
const deltaSigma = (b, sinSigma, cosSigma, cos2M) => b * sinSigma * (cos2M + (b / 4) * (cosSigma * (-1 + 2 * cos2M ** 2)
  - (b / 6) * cos2M * (-3 + 4 * sinSigma ** 2) * (-3 + 4 * cos2M ** 2)));

/** The correction of the longitude for the ellipsoid (equations 10 and 11). */
function longitudeCorrection(cosSquaredAlpha, sinAlpha, sigma, sinSigma, cosSigma, cos2M) {
  const c = (flattening / 16) * cosSquaredAlpha * (4 + flattening * (4 - 3 * cosSquaredAlpha));
  return (1 - c) * flattening * sinAlpha * (sigma + c * sinSigma * (cos2M + c * cosSigma * (-1 + 2 * cos2M ** 2)));
}

/**
 * The destination after traveling along a geodesic.
 *
 * @param {number} latitude Degrees.
 * @param {number} longitude Degrees.
 * @param {number} azimuth Degrees clockwise from north.
 * @param {number} distance Meters.
 * @returns {[number, number]} Latitude and longitude. The longitude is the one nearest to the start's, and may therefore exceed 180.
 */
export function destination(latitude, longitude, azimuth, distance) {
  const sinAzimuth = Math.sin(azimuth * radian);
  const cosAzimuth = Math.cos(azimuth * radian);
  const u = Math.atan((1 - flattening) * Math.tan(latitude * radian));
  const [sinU, cosU] = [Math.sin(u), Math.cos(u)];
  const sigma1 = Math.atan2(sinU, cosU * cosAzimuth);
  const sinAlpha = cosU * sinAzimuth;
  const cosSquaredAlpha = 1 - sinAlpha ** 2;
  const [a, b] = coefficients(cosSquaredAlpha);
  const first = distance / (polarRadius * a);
  let sigma = first;
  let [sinSigma, cosSigma, cos2M] = [0, 0, 0];
  for (let count = 0; count < 100; count += 1) {
    cos2M = Math.cos(2 * sigma1 + sigma);
    sinSigma = Math.sin(sigma);
    cosSigma = Math.cos(sigma);
    const next = first + deltaSigma(b, sinSigma, cosSigma, cos2M);
    const change = Math.abs(next - sigma);
    sigma = next;
    if (change < 1e-13) break;
  }
  const across = sinU * sinSigma - cosU * cosSigma * cosAzimuth;
  const end = Math.atan2(sinU * cosSigma + cosU * sinSigma * cosAzimuth, (1 - flattening) * Math.hypot(sinAlpha, across));
  const lambda = Math.atan2(sinSigma * sinAzimuth, cosU * cosSigma - sinU * sinSigma * cosAzimuth);
  const added = lambda - longitudeCorrection(cosSquaredAlpha, sinAlpha, sigma, sinSigma, cosSigma, cos2M);
  return [end / radian, longitude + added / radian];
}

/**
 * The shortest path between two points.
 *
 * @param {number} latitude1 Degrees.
 * @param {number} longitude1 Degrees.
 * @param {number} latitude2 Degrees.
 * @param {number} longitude2 Degrees.
 * @returns {{distance: number, azimuth: number}} Meters, and degrees clockwise from north at the first point.
 */
export function inverse(latitude1, longitude1, latitude2, longitude2) {
  const l = wrapLongitude(longitude2 - longitude1) * radian;
  const u1 = Math.atan((1 - flattening) * Math.tan(latitude1 * radian));
  const u2 = Math.atan((1 - flattening) * Math.tan(latitude2 * radian));
  const [sin1, cos1, sin2, cos2] = [Math.sin(u1), Math.cos(u1), Math.sin(u2), Math.cos(u2)];
  let lambda = l;
  for (let count = 0; count < 200; count += 1) {
    const [sinLambda, cosLambda] = [Math.sin(lambda), Math.cos(lambda)];
    const sinSigma = Math.hypot(cos2 * sinLambda, cos1 * sin2 - sin1 * cos2 * cosLambda);
    if (sinSigma === 0) return { distance: 0, azimuth: 0 };
    const cosSigma = sin1 * sin2 + cos1 * cos2 * cosLambda;
    const sigma = Math.atan2(sinSigma, cosSigma);
    const sinAlpha = (cos1 * cos2 * sinLambda) / sinSigma;
    const cosSquaredAlpha = 1 - sinAlpha ** 2;
    // A geodesic along the equator has no midpoint between two equator crossings.
    const cos2M = cosSquaredAlpha > 1e-15 ? cosSigma - (2 * sin1 * sin2) / cosSquaredAlpha : 0;
    const next = l + longitudeCorrection(cosSquaredAlpha, sinAlpha, sigma, sinSigma, cosSigma, cos2M);
    const change = Math.abs(next - lambda);
    lambda = next;
    if (change < 1e-13) {
      const [a, b] = coefficients(cosSquaredAlpha);
      const azimuth = Math.atan2(cos2 * Math.sin(lambda), cos1 * sin2 - sin1 * cos2 * Math.cos(lambda)) / radian;
      return { distance: polarRadius * a * (sigma - deltaSigma(b, sinSigma, cosSigma, cos2M)), azimuth: (azimuth + 360) % 360 };
    }
  }
  return onSphere(latitude1, latitude2, l);
}

function onSphere(latitude1, latitude2, l) {
  const [a, b] = [latitude1 * radian, latitude2 * radian];
  const cosine = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(l);
  const azimuth = Math.atan2(Math.sin(l) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(l)) / radian;
  return { distance: Math.acos(Math.min(1, Math.max(-1, cosine))) * 6_371_008.8, azimuth: (azimuth + 360) % 360 };
}

/**
 * The outline of a circle on the ground: points at the same distance from its center, clockwise from north, not closed.
 *
 * @param {number} latitude Degrees.
 * @param {number} longitude Degrees.
 * @param {number} radius Meters.
 * @param {number} [count] The number of points.
 * @returns {[number, number][]} Latitudes and longitudes.
 */
export function circleRing(latitude, longitude, radius, count = 64) {
  return Array.from({ length: count }, (_, index) => destination(latitude, longitude, (index * 360) / count, radius));
}
