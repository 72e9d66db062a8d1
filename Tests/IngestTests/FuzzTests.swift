import Foundation
import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

/// Mutates a corpus of every format with fixed seeds. `PICKET_FUZZ=1000000` sets the number of inputs, which is about ten
/// thousand by default. `PICKET_FUZZ_SEED=7` sets the first seed.
@Suite("Damaged input")
struct FuzzTests {
    private static let wanted = ProcessInfo.processInfo.environment["PICKET_FUZZ"].flatMap { Int($0) }
    private static let seeds: [UInt64] = {
        let first = ProcessInfo.processInfo.environment["PICKET_FUZZ_SEED"].flatMap { UInt64($0) } ?? 11
        return (0..<4).map { first &+ $0 }
    }()

    @Test("Damaged input causes no crash, hang or growth of memory, and every decoded fix is valid", arguments: seeds)
    func mutations(seed: UInt64) throws {
        let count = (Self.wanted ?? 10_000) / Self.seeds.count
        var fuzzer = Fuzzer(seed: seed)
        var early: Int?
        for number in 0..<count {
            fuzzer.step()
            if number == count / 4 { early = Self.residentBytes }
        }
        #expect(fuzzer.rows > count / 100, "too few inputs were still right, seed \(seed)")
        if Self.wanted != nil, let early {
            let growth = (Self.residentBytes - early) >> 20
            print(
                "fuzzed \(count) inputs with seed \(seed): \(fuzzer.rows) fixes, \(fuzzer.refusals) refusals, slowest \(fuzzer.slowest), "
                    + "memory grew by \(growth) MB after the first quarter")
            // The seeds run in parallel in one process.
            #expect(growth < 64)
        }
    }

    /// The resident memory of the process.
    private static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static let nestedSeeds: ClosedRange<UInt64> = 1...8

    @Test("Damaged exports, batches of apps and compressed files cause no harm", arguments: Histories.seeds(nestedSeeds))
    func nested(seed: UInt64) {
        // Half a million in all, and some thousands in a short run.
        let count = Histories.seeds(Self.nestedSeeds).count < Self.nestedSeeds.count ? 2500 : 62_500
        var fuzzer = Fuzzer(seed: seed, targets: FuzzCorpus.Target.nested)
        for _ in 0..<count { fuzzer.step() }
        #expect(fuzzer.rows > count / 100, "too few inputs were still right, seed \(seed)")
    }

    @Test("Random bytes are refused", arguments: [21, 22] as [UInt64])
    func noise(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let input = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
            let result = decode(input, source: "x")
            #expect(result.rows.isEmpty)
            #expect(decode(input, source: "x", chunks: [1]) == result, "seed \(seed)")
        }
    }

    @Test(
        "Damaged copies of real files cause no harm", .enabled(if: SharedData.isAvailable(for: "damaging of real files")),
        arguments: [
            "gpx/savannah_apple_watch.gpx", "gpx/visnjan_car_etrex20.gpx", "nmea/gpsd_triton400.nmea", "nmea/gpsd_bt451.nmea",
            "csv/zurich_phone_accuracy.csv", "fences/limerick_stops_304.geojson", "owntracks/traccar_owntracks_http_bodies.jsonl",
            "odd/opentracks_pause_resume.gpx", "odd/gpx10_speed_course.gpx",
        ])
    func realFiles(path: String) throws {
        let sample = try contents(of: SharedData.file(path))
        var random = SeededRandom(seed: 31)
        for _ in 0..<20 {
            let input = Mutation.apply(
                to: Array(sample.prefix(Int.random(in: 0...sample.count, using: &random))), most: 20, &random)
            let whole = decode(input, source: path)
            #expect(decode(input, source: path, chunks: [1, 100, 13]) == whole)
        }
    }
}

/// Feeds damaged inputs to the targets, and checks the results.
private struct Fuzzer {
    private let seed: UInt64
    private let targets: [FuzzCorpus.Target]
    private var random: SeededRandom
    private var number = 0
    private var reader = PlainPositionReader()
    /// The number of fixes decoded so far.
    private(set) var rows = 0
    /// The number of refusals so far.
    private(set) var refusals = 0
    private(set) var slowest = Duration.zero

    init(seed: UInt64, targets: [FuzzCorpus.Target] = FuzzCorpus.Target.allCases) {
        self.seed = seed
        self.targets = targets
        random = SeededRandom(seed: seed)
    }

    /// Runs the next input.
    mutating func step() {
        let target = targets[number % targets.count]
        number += 1
        let input = FuzzCorpus.input(for: target, &random)
        let start = processorTime()
        feed(input, to: target)
        let duration = processorTime() - start
        slowest = max(slowest, duration)
        if duration > .seconds(10) { Issue.record("\(describe(input, target)) took \(duration)") }
    }

    private func describe(_ input: [UInt8], _ target: FuzzCorpus.Target) -> Comment {
        "\(target), input \(number) of seed \(seed): \(String(decoding: input, as: UTF8.self))"
    }

    private mutating func feed(_ input: [UInt8], to target: FuzzCorpus.Target) {
        switch target {
        case .recognized, .exports, .batches, .tcx: decodeInPieces(input, target, nil)
        case .gzip:
            let whole = GzipReaderTests.unpack(input, chunks: [1 << 20])
            let chunks = (0..<5).map { _ in Int.random(in: 1...40, using: &random) }
            if GzipReaderTests.unpack(input, chunks: chunks) != whole {
                Issue.record("\(describe(input, target)): in pieces of \(chunks)")
            }
            if whole.problem == nil { decodeInPieces(whole.bytes, target, nil) }
        case .csv: decodeInPieces(input, target, .csv)
        case .gpx: decodeInPieces(input, target, .gpx)
        case .kml: decodeInPieces(input, target, .kml)
        case .kmz: decodeInPieces(input, target, .kmz)
        case .geoJSON: decodeInPieces(input, target, .geoJSON)
        case .nmea: decodeInPieces(input, target, .nmea)
        case .json: decodeInPieces(input, target, .json)
        case .ndjson: decodeInPieces(input, target, .ndjson)
        case .ownTracksRec: decodeInPieces(input, target, .ownTracksRec)
        case .plainPosition:
            var batch = FixBatch()
            if input.withUnsafeBufferPointer({ reader.read($0, into: &batch) }) {
                let expected = decode(input, source: "x", format: .json)
                if batch.decodedRows != expected.rows { Issue.record("\(describe(input, target)): two readings") }
            } else if !batch.rows.isEmpty || !batch.deviceNames.isEmpty {
                Issue.record("\(describe(input, target)): something stayed")
            }
            check(batch.decodedRows, batch.refusals, input, target)
        case .osmAndQuery, .osmAndBody: receiveOsmAnd(input, target)
        case .ownTracks:
            var batch = FixBatch()
            let outcome = input.withUnsafeBufferPointer { OwnTracks.decode($0, into: &batch) }
            if case .understood(let messages) = outcome {
                for message in messages where (try? JSONParser.parse(message.json)) == nil {
                    Issue.record("\(describe(input, target)): \(message.json)")
                }
            } else if !batch.rows.isEmpty {
                Issue.record("\(describe(input, target)): rows of \(outcome)")
            }
            check(batch.decodedRows, batch.refusals, input, target)
        case .form:
            let fields = input.withUnsafeBufferPointer { FormFields.parse($0.span) }
            if (fields?.count ?? 0) > FormFields.maxFields { Issue.record("\(describe(input, target))") }
        case .geofences:
            do throws(Problem) {
                let result = try input.withUnsafeBufferPointer { (bytes) throws(Problem) in
                    try GeofenceDecoder.decode(bytes, source: "x", options: .init(radius: 50))
                }
                let given = result.entries.filter { $0.idSource == .given }.map(\.geofence.id)
                if Set(given).count != given.count { Issue.record("\(describe(input, target)): ids") }
                rows += result.entries.count
            } catch { refusals += 1 }
        case .value:
            guard let value = try? JSONParser.parse(input.span) else { return }
            if (try? JSONParser.parse(value.description)) != value { Issue.record("\(describe(input, target)): \(value)") }
        case .time:
            var times = TimeResolver(DecodingOptions())
            guard let time = try? times.resolve(WrittenTime(input.span, 0..<input.count), device: nil).moment else { return }
            if time < WrittenTime.earliest || time > .latest { Issue.record("\(describe(input, target)): \(time.milliseconds)") }
        case .number:
            guard let number = DecimalNumber.parse(input.span, 0..<input.count) else { return }
            if number != Double(String(decoding: input, as: UTF8.self)) { Issue.record("\(describe(input, target)): \(number)") }
        }
    }

    /// Decodes an input whole, and sometimes also in pieces, which must give the same result.
    private mutating func decodeInPieces(_ input: [UInt8], _ target: FuzzCorpus.Target, _ format: FixFormat?) {
        let whole = decode(input, source: "x", format: format)
        if number.isMultiple(of: 3) {
            let chunks = (0..<5).map { _ in Int.random(in: 1...40, using: &random) }
            if decode(input, source: "x", format: format, chunks: chunks) != whole {
                Issue.record("\(describe(input, target)): in pieces of \(chunks)")
            }
        }
        check(whole.rows, whole.refusals, input, target)
    }

    private mutating func receiveOsmAnd(_ input: [UInt8], _ target: FuzzCorpus.Target) {
        var batch = FixBatch()
        let query = target == .osmAndQuery ? input.withUnsafeBufferPointer { FormFields.parse($0.span) } ?? [] : []
        let body = target == .osmAndQuery ? [] : input
        let outcome = body.withUnsafeBufferPointer {
            OsmAnd.decode(query: query, body: $0, contentType: nil, now: Instant(milliseconds: 0), into: &batch)
        }
        switch outcome {
        case .positions: break
        case .keepAlive(let device), .notificationToken(let device):
            if Identifier.flaw(inDevice: device) != nil { Issue.record("\(describe(input, target)): \(outcome)") }
            fallthrough
        case .missingID, .invalidID, .unreadable:
            if !batch.rows.isEmpty { Issue.record("\(describe(input, target)): rows of \(outcome)") }
        }
        check(batch.decodedRows, batch.refusals, input, target)
    }

    private mutating func check(
        _ rows: [Decoded.Row], _ refusals: [Refusal], _ input: [UInt8], _ target: FuzzCorpus.Target
    ) {
        self.rows += rows.count
        self.refusals += refusals.count
        for row in rows where !isPossible(row) { Issue.record("\(describe(input, target)): \(row)") }
        for refusal in refusals where refusal.value.count > 80 || refusal.reason.description.isEmpty || refusal.field.isEmpty {
            Issue.record("\(describe(input, target)): \(refusal)")
        }
    }

    /// Whether a row satisfies the assumptions of the rest of the program.
    private func isPossible(_ row: Decoded.Row) -> Bool {
        let fix = row.fix
        return fix.coordinate.isValid && fix.time >= .earliest && fix.time <= .latest && row.line >= 1
            && (fix.accuracy ?? 0) >= 0 && (fix.accuracy ?? 0).isFinite && (fix.altitude ?? 0).isFinite
            && (fix.speed ?? 0) >= 0 && (fix.speed ?? 0).isFinite && (0...360).contains(fix.course ?? 0)
            && (0...1).contains(fix.battery ?? 0) && row.device.map { Identifier.flaw(inDevice: $0) == nil } ?? true
            && row.attributes.map { (try? JSONParser.parse($0))?.members?.isEmpty == false } ?? true
    }
}
