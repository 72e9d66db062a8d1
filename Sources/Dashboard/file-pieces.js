// Splits a position file into pieces for separate requests, so that the file may be larger than one request. Each piece is a complete file
// of the same format. Pure except for reading the file.

/** The approximate number of bytes of a piece. */
const pieceSize = 4 << 20;
/** The maximum number of bytes to read at once. */
const readSize = 1 << 20;

/**
 * @param {Blob} file
 * @param {import('./file-format.js').Recognized['format']} format
 * @param {number} [size]
 * @returns {AsyncGenerator<{body: Blob|string, bytes: number}>} `bytes` is the number of bytes of the file in the piece.
 */
export async function* pieces(file, format, size = pieceSize) {
  if (file.size <= size || format === 'unknown') yield { body: file, bytes: file.size };
  else if (format === 'gpx') yield* points(file, size);
  else if (format === 'geojson' || format === 'json') yield* elements(file, size);
  else yield* lines(file, format, size);
}

/** The text of a file in parts. */
async function* texts(file, size) {
  const step = Math.min(readSize, size);
  const decoder = new TextDecoder();
  for (let place = 0; place < file.size; place += step) {
    yield decoder.decode(await file.slice(place, place + step).arrayBuffer(), { stream: place + step < file.size });
  }
}

const bytesOf = (text) => new TextEncoder().encode(text).length;

/** Line-based formats. The header of a table is repeated in each piece. An NMEA piece starts with a sentence that contains the date. */
async function* lines(file, format, size) {
  let head = format === 'csv' ? null : '';
  let rest = '';
  const cut = (text) => {
    if (format !== 'nmea') return text.lastIndexOf('\n') + 1;
    const places = [...text.matchAll(/^\$..RMC/gm)];
    return places.length > 1 ? places.at(-1).index : 0;
  };
  for await (const text of texts(file, size)) {
    rest += text;
    if (head === null && rest.includes('\n')) {
      head = rest.slice(0, rest.indexOf('\n') + 1);
      rest = rest.slice(head.length);
    }
    const end = rest.length >= size ? cut(rest) : 0;
    if (end === 0) continue;
    yield { body: (head ?? '') + rest.slice(0, end), bytes: bytesOf(rest.slice(0, end)) };
    rest = rest.slice(end);
  }
  if (rest.trim()) yield { body: (head ?? '') + rest, bytes: bytesOf(rest) };
}

/** Track points. The elements between tracks and segments stay where they are. */
async function* points(file, size) {
  const end = '</trkpt>';
  let head = null;
  let rest = '';
  for await (const text of texts(file, size)) {
    rest += text;
    if (head === null && rest.includes('<trkpt')) {
      const first = rest.indexOf('<trkpt');
      head = `${rest.slice(0, first).match(/^[\s\S]*?<gpx[^>]*>/)?.[0] ?? '<gpx>'}<trk><trkseg>`;
      rest = rest.slice(first);
    }
    const place = rest.length >= size ? rest.lastIndexOf(end) : -1;
    if (head === null || place < 0) continue;
    const part = rest.slice(0, place + end.length);
    yield { body: `${head}${part}</trkseg></trk></gpx>`, bytes: bytesOf(part) };
    // The end tag of a segment that follows directly becomes part of the next piece.
    rest = rest.slice(part.length);
  }
  const last = rest.lastIndexOf(end);
  if (head === null) yield { body: rest, bytes: bytesOf(rest) };
  else if (last >= 0) yield { body: `${head}${rest.slice(0, last + end.length)}</trkseg></trk></gpx>`, bytes: bytesOf(rest) };
}

/** The features of a collection, or the elements of an array. Other JSON is not split. */
async function* elements(file, size) {
  const whole = JSON.parse(await file.text());
  const list = Array.isArray(whole) ? whole : whole.features;
  if (!Array.isArray(list)) {
    yield { body: file, bytes: file.size };
    return;
  }
  const count = Math.max(1, Math.floor((list.length * size) / file.size));
  for (let first = 0; first < list.length; first += count) {
    const part = list.slice(first, first + count);
    yield {
      body: JSON.stringify(Array.isArray(whole) ? part : { ...whole, features: part }),
      bytes: (file.size * part.length) / list.length,
    };
  }
}
