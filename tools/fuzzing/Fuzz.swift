import Model

@testable import Ingest

/// The entry point that libFuzzer calls with each input. The first byte selects the decoder, the rest is the data to decode.
///
/// The selection is the remainder of the first byte: the file formats of `FixFormat` come first, followed by automatic detection, the
/// OsmAnd body, OwnTracks, an OsmAnd query and geofences. With these 14 decoders, the letter b selects GPX, the letter c KML, and so on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let input = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(start: data, count: size)[1...])
    var batch = FixBatch()
    let choice = Int(data[0]) % (FixFormat.allCases.count + 5)
    switch choice - FixFormat.allCases.count {
    case 0: decode(input, FixDecoder(source: .verbatim("fuzz")), &batch)
    case 1: _ = OsmAnd.decode(query: [], body: input, contentType: nil, now: Instant(milliseconds: 0), into: &batch)
    case 2: _ = OwnTracks.decode(input, into: &batch)
    case 3:
        guard let fields = FormFields.parse(input.span) else { break }
        let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        _ = OsmAnd.decode(query: fields, body: nothing, contentType: nil, now: Instant(milliseconds: 0), into: &batch)
    case 4: _ = try? GeofenceDecoder.decode(input, source: .verbatim("fuzz"))
    default: decode(input, FixDecoder(source: .verbatim("fuzz"), format: FixFormat.allCases[choice]), &batch)
    }
    for row in batch.rows {
        let fix = row.fix
        precondition(fix.coordinate.isValid && row.line >= 1 && (fix.accuracy ?? 0) >= 0 && (fix.accuracy ?? 0).isFinite)
    }
    for attributes in batch.attributes {
        do { _ = try JSONParser.parse(attributes) } catch { preconditionFailure("attributes that are no JSON: \(attributes)") }
    }
    return 0
}

/// Decodes the input in two pieces, to test the decoder at a piece boundary.
private func decode(_ input: UnsafeBufferPointer<UInt8>, _ decoder: consuming FixDecoder, _ batch: inout FixBatch) {
    let middle = input.count / 2
    do {
        try decoder.decode(UnsafeBufferPointer(rebasing: input[..<middle]), into: &batch)
        try decoder.decode(UnsafeBufferPointer(rebasing: input[middle...]), into: &batch)
        try decoder.finish(into: &batch)
    } catch {}  // The decoder may reject the input.
}
