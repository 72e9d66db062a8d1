// Tells what a file of positions is by its beginning. Pure: the service decides by itself; this is for what the page asks for.

/**
 * @typedef {object} Recognized
 * @property {'gpx'|'nmea'|'rec'|'geojson'|'json'|'ndjson'|'csv'|'unknown'} format
 * @property {boolean} namesDevice Whether the positions say whose they are.
 */

/** Column names by which a CSV file names devices, as the service knows them (Sources/Ingest/FixColumns.swift). */
const deviceColumns = [
  'device', 'device_id', 'deviceid', 'device_name', 'tracker', 'tracker_id', 'vehicle', 'vehicle_id', 'imei',
  'individual_local_identifier', 'tag_local_identifier', 'track', 'track_id', 'trackid', 'user', 'user_id', 'id',
];
const deviceMember = /"(device|deviceId|device_id)"\s*:/;

/**
 * @param {string} text The beginning of the file, some 64 KB.
 * @returns {Recognized}
 */
export function recognize(text) {
  const start = text.replace(/^\ufeff/, '').trimStart();
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

/** The content type of a format; empty where the service is to find out. @param {Recognized['format']} format */
export const contentType = (format) => ({
  gpx: 'application/gpx+xml', csv: 'text/csv', geojson: 'application/geo+json', ndjson: 'application/x-ndjson', json: 'application/json',
})[format] ?? 'text/plain';
