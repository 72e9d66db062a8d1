import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("KMZ")
struct KMZFixDecoderTests {
    private static let archives = [KMZSamples.deflated, KMZSamples.stored, KMZSamples.streamed]

    @Test("The first KML file of an archive is decoded, however it is stored and cut", arguments: archives.indices)
    func positions(index: Int) {
        let expected = decode(Array(KMZSamples.kml.utf8), source: "x")
        #expect(expected.rows.count == 2 && expected.refusals.isEmpty && expected.problem == nil)
        let archive = Self.archives[index]
        let result = decode(archive, source: "x")
        #expect(result.format == .kmz && result.fixes == expected.fixes && result.problem == nil)
        for chunks in [[1], [7, 1], [100]] { #expect(decode(archive, source: "x", chunks: chunks) == result) }
        #expect(decode(archive, source: "x", format: .kmz) == result)
    }

    @Test("A truncated archive is refused, wherever it ends")
    func truncated() {
        for archive in Self.archives {
            // The comment of the archive has 14 bytes.
            for end in 0..<(archive.count - 14) {
                let result = decode(Array(archive.prefix(end)), source: "x")
                #expect(result.rows.isEmpty && result.problem != nil, "\(end) bytes")
            }
        }
    }

    @Test("A damaged archive never gives other positions than those in it", arguments: [41, 42] as [UInt64])
    func damaged(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let expected = decode(KMZSamples.deflated, source: "x").fixes
        for _ in 0..<300 {
            let archive = Mutation.apply(to: Self.archives.randomElement(using: &random)!, most: 4, &random)
            let result = decode(archive, source: "x", format: .kmz)
            // A changed name in the directory can select the other KML file, which has no position.
            #expect(result.problem != nil || result.rows.isEmpty || result.fixes == expected, "seed \(seed)")
        }
    }

    private func reason(_ archive: [UInt8]) -> Phrase? {
        switch decode(archive, source: "x").problem {
        case .decodingFailed("x", nil, let reason)?: reason
        case .unsupportedFormat("x", let found, FixFormat.supported)?: found
        default: nil
        }
    }

    @Test("What cannot be unpacked is named with the reason")
    func reasons() {
        let packed = KMZSamples.deflatedSpaces(atLeast: 1)
        let name = "a/doc.kml"
        #expect(
            reason(KMZSamples.archive(name, packed: packed, flags: 1))
                == .expecting(.zipEncrypted(name), .unpackedFile))
        #expect(reason(KMZSamples.bzip2) == .expecting(.zipMethod("doc.KML", 12), .unpackedFile))
        #expect(reason(KMZSamples.archive("doc.gpx", packed: packed)) == .zip)
        #expect(reason(KMZSamples.archive("__MACOSX/._doc.kml", packed: packed)) == .zip)
        // The checksum is wrong.
        #expect(reason(KMZSamples.archive(name, packed: Array("<kml/>".utf8), method: 0)) == .zipDamaged)
        #expect(reason(Array("PK\u{3}\u{4}".utf8) + Array(repeating: 0, count: 40)) == .zipDamaged)
        for reason in [Phrase.zipEncrypted("x"), .zipMethod("x", 12), .zipDamaged, .zip] {
            #expect(reason.description.contains("archive"))
        }
    }

    @Test("An archive that unpacks to more than 64 MB is refused")
    func bomb() {
        let archive = KMZSamples.archive("doc.kml", packed: KMZSamples.deflatedSpaces(atLeast: ZipArchive.maxUnpackedBytes))
        #expect(archive.count < 1 << 19)
        let start = processorTime()
        #expect(
            decode(archive, source: "x").problem
                == .tooLarge(what: .archived("x", "doc.kml"), limit: .or(.mebibytes(64), .unpackedFile)))
        #expect(processorTime() - start < .seconds(30))
    }

    @Test("An archive of more than 64 MB is refused before it is complete")
    func largeArchive() {
        var decoder = FixDecoder(source: "x", format: .kmz)
        var batch = FixBatch()
        let piece = [UInt8](repeating: 0, count: 1 << 24)
        #expect(throws: Problem.tooLarge(what: "x", limit: .or(.mebibytes(64), .unpackedFile))) {
            for _ in 0..<5 { try piece.withUnsafeBufferPointer { try decoder.decode($0, into: &batch) } }
        }
    }
}
