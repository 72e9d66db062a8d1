import CZlib
import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Compressed input")
struct GzipReaderTests {
    /// The bytes in the gzip format, compressed by zlib's own function.
    static func packed(_ bytes: [UInt8], level: Int32 = 6) -> [UInt8] {
        var stream = z_stream()
        guard picket_begin_gzip(&stream, level) == Z_OK else { return [] }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: bytes.count + bytes.count / 100 + 1000)
        let capacity = output.count
        var input = bytes
        input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                #expect(deflate(&stream, Z_FINISH) == Z_STREAM_END)
            }
        }
        return Array(output.prefix(capacity - Int(stream.avail_out)))
    }

    struct Unpacked: Equatable {
        var bytes: [UInt8] = []
        var problem: Problem?
    }

    /// Everything that is passed on, and the problem at the end.
    static func unpack(_ input: [UInt8], chunks: [Int]) -> Unpacked {
        let reader = GzipReader(source: "x")
        var result = Unpacked()
        do throws(Problem) {
            var start = 0
            var turn = 0
            while start < input.count {
                let end = min(input.count, start + chunks[turn % chunks.count])
                let chunk = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: end - start)
                defer { chunk.deallocate() }
                _ = chunk.initialize(from: input[start..<end])
                var offset = 0
                while let piece = try reader.nextPiece(of: UnsafeBufferPointer(chunk), from: &offset) {
                    result.bytes += piece
                    if piece.count > 65_536, input.first == 0x1F { Issue.record("a piece of \(piece.count) bytes") }
                }
                start = end
                turn += 1
            }
            try reader.finish()
        } catch {
            result.problem = error
        }
        return result
    }

    private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt8.random(in: 0..<8, using: &random) }
    }

    @Test("An input that is not compressed is passed on as it is", arguments: [0, 1, 2, 70_000])
    func plain(count: Int) {
        let input = Self.noise(count, seed: 1)
        for chunks in [[1], [7], [100_000]] { #expect(Self.unpack(input, chunks: chunks).bytes == input) }
    }

    @Test("Compressed data is decompressed, regardless of the pieces", arguments: [0, 1, 65_536, 131_072, 300_000])
    func compressed(count: Int) {
        let content = Self.noise(count, seed: 2)
        for chunks in [[1], [13, 1], [4096], [1 << 20]] where count < 70_000 || chunks != [1] {
            let result = Self.unpack(Self.packed(content), chunks: chunks)
            #expect(result.bytes == content && result.problem == nil)
        }
    }

    @Test("Several members, as 'cat a.gz b.gz' makes, are one input, even with zeros behind them")
    func members() {
        let parts = [Self.noise(70_000, seed: 3), [], Self.noise(3, seed: 4)]
        for padding in [0, 1, 600] {
            let input = parts.flatMap { Self.packed($0) } + [UInt8](repeating: 0, count: padding)
            for chunks in [[1], [10], [1 << 20]] {
                let result = Self.unpack(input, chunks: chunks)
                #expect(result.bytes == parts.flatMap(\.self) && result.problem == nil)
            }
        }
    }

    @Test("What is cut off gives its beginning, and then a problem", arguments: [1, 8, 9, 2000])
    func cutOff(rest: Int) {
        let content = Self.noise(100_000, seed: 5)
        let result = Self.unpack(Array(Self.packed(content).dropLast(rest)), chunks: [1000])
        #expect(content.starts(with: result.bytes) && result.bytes.count > 80_000)
        #expect(result.problem == .decodingFailed(source: "x", line: nil, reason: .gzipCutOff))
        #expect(Self.unpack([0x1F], chunks: [1]).problem == .decodingFailed(source: "x", line: nil, reason: .gzipCutOff))
    }

    @Test("Damaged data, a wrong checksum and trailing bytes are a problem")
    func damaged() {
        let content = Self.noise(100_000, seed: 6)
        let packed = Self.packed(content)
        var wrongSum = packed
        wrongSum[packed.count - 8] ^= 1
        var damaged = packed
        damaged.replaceSubrange(packed.count / 2..<(packed.count / 2 + 100), with: repeatElement(0xFF, count: 100))
        for input in [wrongSum, damaged, packed + [7], [0x1F, 0x8B, 7, 7, 7, 7], [0x1F, 0x9D, 0x90]] {
            for chunks in [[1], [333], [1 << 20]] {
                let result = Self.unpack(input, chunks: chunks)
                #expect(result.problem == .decodingFailed(source: "x", line: nil, reason: .gzipDamaged))
            }
        }
        #expect(Self.unpack(wrongSum, chunks: [999]).bytes == content)
    }

    @Test("A hundred megabytes in a hundred kilobytes are passed on in small pieces")
    func bomb() {
        let packed = Self.packed([UInt8](repeating: 0x20, count: 100 << 20), level: 9)
        #expect(packed.count < 200_000)
        let reader = GzipReader(source: "x")
        var count = 0
        #expect(throws: Never.self) {
            try packed.withUnsafeBufferPointer { chunk in
                var offset = 0
                while let piece = try reader.nextPiece(of: chunk, from: &offset) {
                    #expect(piece.count <= 65_536)
                    count += piece.count
                }
            }
            try reader.finish()
        }
        #expect(count == 100 << 20)
    }
}
