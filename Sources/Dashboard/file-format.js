// Recognizes the format of a position file from its beginning. Pure. The service determines the format itself; the page needs it to know
// what to ask.

/**
 * @typedef {object} Recognized
 * @property {'gpx'|'nmea'|'rec'|'geojson'|'json'|'ndjson'|'csv'|'unknown'} format
 * @property {boolean} namesDevice Whether the positions name their devices.
 */

/** The column names with which CSV files name devices, as in the service (Sources/Ingest/FixColumns.swift). */
const deviceColumns = [
  'device', 'device_id', 'deviceid', 'device_name', 'tracker', 'tracker_id', 'vehicle', 'vehicle_id', 'imei',
  'individual_local_identifier', 'tag_local_identifier', 'track', 'track_id', 'trackid', 'user', 'user_id', 'id',
];
const deviceMember = /"(device|deviceId|device_id)"\s*:/;

/**
 * @param {string} text The first 64 KB of the file.
 * @returns {Recognized}
 */
export function recognize(text) {
  const start = text.replace(/^\ufeff/, '').trimStart();
  // KML, KMZ and the export of a device are sent as a whole, because a part of such a file has no meaning.
  if (start.startsWith('PK\u0003\u0004')) return { format: 'unknown', namesDevice: false };
  if (/^\{"device":\{/.test(start)) return { format: 'unknown', namesDevice: true };
  if (start.startsWith('<')) return { format: /<gpx[\s>]/.test(start) ? 'gpx' : 'unknown', namesDevice: false };
  if (/^(#.*\s+)*[$!][A-Z]{4,5}/.test(start)) return { format: 'nmea', namesDevice: false };
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z?\t/.test(start)) return { format: 'rec', namesDevice: /"topic"\s*:/.test(start) };
  if (start.startsWith('{') || start.startsWith('[')) return json(start);
  const columns = start.split(/\r?\n/, 1)[0].split(/[,;\t]/).map((name) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, ''));
  if (columns.length < 3) return { format: 'unknown', namesDevice: false };
  return { format: 'csv', namesDevice: columns.some((name) => deviceColumns.includes(name)) };
}

function json(start) {
  const namesDevice = deviceMember.test(start);
  if (/"type"\s*:\s*"(FeatureCollection|Feature|LineString|Point)"/.test(start.slice(0, 4096))) return { format: 'geojson', namesDevice };
  const [first, second = ''] = start.split(/\r?\n/, 2);
  const isLines = first.endsWith('}') && (second === '' || second.startsWith('{'));
  return { format: start.startsWith('{') && isLines ? 'ndjson' : 'json', namesDevice };
}

/** The content type of a format. For an unknown format, the service determines it. @param {Recognized['format']} format */
export const contentType = (format) => ({
  gpx: 'application/gpx+xml', csv: 'text/csv', geojson: 'application/geo+json', ndjson: 'application/x-ndjson', json: 'application/json',
})[format] ?? 'text/plain';
