import Foundation
import Model
import Testing

@testable import Ingest

/// The result of decoding an input.
struct Decoded: Equatable {
    struct Row: Equatable {
        var device: String?
        var fix: Fix
        var attributes: String?
        var line: Int
    }
    var format: FixFormat?
    var rows: [Row] = []
    var refusals: [Refusal] = []
    var remarks: [Phrase] = []
    var problem: Problem?

    var fixes: [Fix] { rows.map(\.fix) }
}

extension FixBatch {
    /// The rows with device names and attributes.
    var decodedRows: [Decoded.Row] {
        rows.map { row in
            Decoded.Row(
                device: row.device < 0 ? nil : deviceNames[Int(row.device)], fix: row.fix,
                attributes: row.attributes < 0 ? nil : attributes[Int(row.attributes)], line: row.line)
        }
    }
}

/// Decodes an input in chunks of the given sizes, repeated as needed; nil decodes it in one chunk. Without a format, the format is
/// recognized.
func decode(
    _ input: [UInt8], source: String = "track.csv", format: FixFormat? = nil, options: DecodingOptions = DecodingOptions(),
    chunks: [Int]? = nil
) -> Decoded {
    var decoder =
        if let format { FixDecoder(source: .verbatim(source), format: format, options: options) } else {
            FixDecoder(source: .verbatim(source), options: options)
        }
    var batch = FixBatch()
    var result = Decoded()
    func drain() {
        result.rows += batch.decodedRows
        result.refusals += batch.refusals
        result.remarks += batch.remarks
        batch.removeAll()
    }
    do throws(Problem) {
        var start = 0
        var turn = 0
        while start < input.count {
            let size = chunks.map { $0[turn % $0.count] } ?? input.count
            let end = min(input.count, start + max(1, size))
            // Each chunk has its own allocation, so that reading past its end is detected.
            let chunk = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: end - start)
            defer { chunk.deallocate() }
            _ = chunk.initialize(from: input[start..<end])
            defer { drain() }
            try decoder.decode(UnsafeBufferPointer(chunk), into: &batch)
            start = end
            turn += 1
        }
        try decoder.finish(into: &batch)
    } catch {
        result.problem = error
    }
    drain()
    result.format = decoder.format
    return result
}

func decode(
    _ text: String, source: String = "track.csv", options: DecodingOptions = DecodingOptions(), chunks: [Int]? = nil
) -> Decoded {
    decode(Array(text.utf8), source: source, options: options, chunks: chunks)
}

/// Expects the same result for many ways to cut the input into chunks.
func expectSameForEveryChunking(
    _ input: [UInt8], source: String = "track.csv", options: DecodingOptions = DecodingOptions(),
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let whole = decode(input, source: source, options: options)
    for chunks in [[1], [2], [3], [7, 1], [64], [1000, 1], [65_536]] {
        let pieces = decode(input, source: source, options: options, chunks: chunks)
        #expect(pieces == whole, "chunks of \(chunks)", sourceLocation: sourceLocation)
    }
}

func contents(of file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }
