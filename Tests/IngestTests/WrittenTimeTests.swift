import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Times of positions")
struct WrittenTimeTests {
    /// What a time is as text in a CSV file and in JSON, and as a number in JSON.
    private func refusals(_ value: String, options: DecodingOptions = DecodingOptions()) -> [Refusal] {
        let isNumber = Double(value) != nil
        let inputs = [
            "device,tst,lat,lon\na,\"\(value)\",1,2\n", "{\"device\":\"a\",\"tst\":\"\(value)\",\"lat\":1,\"lon\":2}\n",
            "{\"device\":\"a\",\"tst\":\(isNumber ? value : "\"\(value)\""),\"lat\":1,\"lon\":2}\n",
            "{\"_type\":\"location\",\"tid\":\"a\",\"tst\":\(isNumber ? value : "\"\(value)\""),\"lat\":1,\"lon\":2}\n",
        ]
        return inputs.map { input in
            let result = decode(input, source: "x", options: options)
            #expect(result.rows.isEmpty && result.refusals.count == 1, "\(input)")
            return result.refusals.first ?? Refusal(field: "", value: "", reason: .empty)
        }
    }

    private func moment(_ text: String, options: DecodingOptions = DecodingOptions()) throws -> Instant {
        var times = TimeResolver(options)
        return try times.resolve(WrittenTime(text), device: nil).moment
    }

    // MARK: - What is refused

    @Test(
        "A number that is not a time is refused with its value, what it looks like, and what was expected",
        arguments: [
            ("4294967295", "it is not a time: devices write 4294967295 when they have none"),
            ("2147483647", "devices write 2147483647 when"), ("0", "devices write 0 when"),
            ("-1", "devices write -1 when"),
            ("20250601", "it looks like a date without a time of day; expected RFC 3339"),
            ("19991231", "a date without a time of day"),
            ("45809.5", "it looks like a spreadsheet's day number for 2025-06-01 12:00:00; expected"),
            ("45809", "day number for 2025-06-01 00:00:00"), ("46143.4166666667", "day number for 2026-05-01 10:00:00"),
            ("45809.5", "format the column as yyyy-mm-dd hh:mm:ss"),
            ("100500", "it looks like a time of day without a date"), ("235959", "a time of day without a date"),
            ("2025", "it looks like a year"), ("2021", "it looks like a year"),
            ("1", "a time of day"),
            ("-86400", "it means 1969-12-31T00:00:00.000Z; expected the time of the position, 1980-01-06"),
            ("315964799", "it means 1980-01-05T23:59:59.000Z"), ("100000000000", "it means 1973-03-03T09:46:40.000Z"),
            ("100000000000000", "it means 1973-03-03T09:46:40.000Z"), ("1e18", "it is not a valid time"),
            ("1e300", "it is not a valid time"), ("-1e300", "it is not a valid time"),
        ])
    func numbers(value: String, reason: String) {
        for refusal in refusals(value) {
            #expect(refusal.field == "tst" && refusal.value == value)
            #expect(refusal.reason.description.contains(reason), "\(refusal.reason)")
        }
    }

    @Test(
        "A text that is not a time is refused with what it looks like",
        arguments: [
            ("2025-06-01", "a date without a time of day"), ("24.12.2025", "a date without a time of day"),
            ("1 Jun 2025", "a date without a time of day"), ("13:02:03", "a time of day without a date"),
            ("1:02 PM", "a time of day without a date"), ("1899-12-31T00:00:00Z", "it means 1899-12-31T00:00:00.000Z"),
            ("1970-01-01 00:00:00", "it means 1970-01-01T00:00:00.000Z"),
            ("06/01/2025 13:02", "it is not clear which number is the day and which is the month; expected a time such as"),
            ("31/12/2025 13:02", "--date-order"), ("01-06-2025 13:02:03", "dateOrder=dmy"),
            ("2025-02-29T10:00:00Z", "not a valid time"), ("2025-06-01T24:00:00Z", "not a valid time"),
            ("29.02.2025 10:00", "not a valid time"), ("24.12.25 10:00", "not a valid time"), ("now", "not a valid time"),
            ("2025-06-01T13:02:03 Berlin", "not a valid time"), ("2025-06-01T13:02:03[Europe/Berlin]", "not a valid time"),
            ("Mon, 01 Jun 2025 13:02:03 GMT", "not a valid time"), ("2025-06-01 13:02 XM", "not a valid time"),
            ("2025-06-01 13:02 PM", "not a valid time"), ("2025-06/01 13:02", "not a valid time"),
            ("2025-06-01T13:02:03+2", "not a valid time"), ("2025-06-01T13:02:03.Z", "not a valid time"),
            ("20250601T1302031", "not a valid time"), ("99999999T999999Z", "not a valid time"),
        ])
    func texts(value: String, reason: String) {
        for refusal in refusals(value) {
            #expect(refusal.value == value && refusal.reason.description.contains(reason), "\(refusal.reason)")
        }
    }

    private struct FixedClock: WallClock {
        var moment: Instant
        func now() -> Instant { moment }
    }

    @Test(
        "A time ahead of the clock is refused with what it stands for and how far ahead it is",
        arguments: [
            ("2026-05-01T10:11:00Z", "2026-05-01T10:11:00.000Z, 11 min in the future"),
            ("1777629600000000000", nil), ("2569-05-01T10:00:00Z", "543 years in the future"),
            ("1777716000", "1 d in the future"), ("2772693725", "2057-11-11T08:42:05.000Z, 31 years in the future"),
            ("20270501100000", "2027-05-01T10:00:00.000Z, 365 d in the future"),
        ])
    func ahead(value: String, reason: String?) {
        var options = DecodingOptions()
        options.clock = FixedClock(moment: Instant("2026-05-01T10:00:00Z")!)
        for refusal in refusals(value, options: options) {
            #expect(refusal.value == value && refusal.field == "tst")
            #expect(refusal.kind == (reason == nil ? .unreadable : .aheadOfClock))
            #expect(refusal.reason.description.contains(reason ?? "not a valid time"), "\(refusal.reason)")
        }
        #expect(decode("device,tst,lat,lon\na,2026-05-01T10:10:00Z,1,2\n", options: options).rows.count == 1)
    }

    // MARK: - What is read

    @Test(
        "A time without doubt is read",
        arguments: [
            "2025-06-01 13:02:03 +00:00", "2025-06-01 15:02:03 +0200", "2025-06-01 13:02:03+00", "2025-06-01T15:02:03+02",
            "2025-06-01 13:02:03 UTC", "2025-06-01 13:02:03 Z", "2025-06-01T13:02:03z", "20250601T130203Z", "20250601T130203",
            "20250601130203", "20250601130203Z", "20250601130203.000", "2025/06/01 13:02:03",
            "2025-06-01T15:02:03+02:00[Europe/Berlin]",
            "2025-06-01T13:02:03Z[UTC]", "Sun, 01 Jun 2025 13:02:03 GMT", "Sun, 1 Jun 2025 15:02:03 +0200", "1 Jun 2025 13:02:03",
            "01-Jun-2025 13:02:03", "1748782923", "1748782923000", "1748782923000000", "1748782923.0", "01.06.2025 13:02:03",
            "1.6.2025, 13:02:03", "2025-06-01T13:02:03,000", "2025-06-01 1:02:03 PM", "2025-06-01T13:02:03-00:00",
            "2025:06:01 13:02:03", "20250601 1302:03", "2025-06-01T13:01:63Z",
        ])
    func forms(text: String) throws {
        // The last two show that mixed and impossible forms are refused.
        guard !["20250601 1302:03", "2025-06-01T13:01:63Z"].contains(text) else {
            #expect(throws: ReadingFlaw.time(.notATime)) { try moment(text) }
            return
        }
        #expect(try moment(text) == Instant("2025-06-01T13:02:03Z"), "\(text)")
    }

    @Test("A fraction is truncated to milliseconds")
    func fraction() throws {
        #expect(try moment("2025-06-01 13:02:03.123999+02") == Instant("2025-06-01T11:02:03.123Z"))
        #expect(try moment("20250601T130203.5Z") == Instant("2025-06-01T13:02:03.5Z"))
        #expect(try moment("1748782923123456") == Instant("2025-06-01T13:02:03.123Z"))
    }

    @Test("The order of day and month is that of the options", arguments: DateOrder.allCases)
    func dateOrder(order: DateOrder) throws {
        var options = DecodingOptions()
        options.dateOrder = order
        let expected = Instant(order == .dayFirst ? "2025-01-06T13:02:03Z" : "2025-06-01T13:02:03Z")
        for text in ["06/01/2025 13:02:03", "6/1/2025 1:02:03 pm", "06-01-2025T13:02:03", "06/01/2025, 15:02:03 +0200"] {
            #expect(try moment(text, options: options) == expected, "\(text)")
        }
        // Dots are day first in either case.
        #expect(try moment("06.01.2025 13:02:03", options: options) == Instant("2025-01-06T13:02:03Z"))
        let impossible = order == .dayFirst ? "12/24/2025 10:00" : "24/12/2025 10:00"
        #expect(throws: ReadingFlaw.time(.notATime)) { try moment(impossible, options: options) }
    }

    // MARK: - Oracles

    /// The zones of the oracle tests, with changes at midnight, of half an hour, and of none.
    static let zones = [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago", "Asia/Tokyo",
        "Africa/Casablanca", "Pacific/Apia",
    ]

    private static func zone(_ name: String) -> LocalTimeZone {
        let zone = TimeZone(identifier: name)!
        return LocalTimeZone(name: name) { zone.secondsFromGMT(for: Date(timeIntervalSince1970: $0.seconds)) }
    }

    @Test("A random time is read in each form as Foundation writes it", arguments: [1, 2] as [UInt64])
    func oracle(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let forms =
            [
                ("yyyy-MM-dd'T'HH:mm:ssXXX", nil), ("yyyy-MM-dd HH:mm:ss.SSS XXX", nil), ("yyyy-MM-dd HH:mm:ssxx", nil),
                ("yyyyMMdd'T'HHmmssXX", nil), ("yyyyMMddHHmmss", nil), ("yyyy/MM/dd H:mm:ss", nil),
                ("EEE, dd MMM yyyy HH:mm:ss xx", nil),
                ("d MMM yyyy HH:mm:ss", nil), ("dd.MM.yyyy HH:mm:ss", nil), ("d.M.yyyy, HH:mm:ss", nil),
                ("MM/dd/yyyy hh:mm:ss a", .monthFirst), ("dd/MM/yyyy HH:mm:ss", .dayFirst),
                ("dd-MM-yyyy'T'HH:mm:ss xxx", .dayFirst),
                ("yyyy-MM-dd'T'HH:mm:ssXXX'['VV']'", nil),
            ] as [(String, DateOrder?)]
        for (pattern, order) in forms {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.dateFormat = pattern
            for _ in 0..<60 {
                let name = Self.zones.randomElement(using: &random)!
                formatter.timeZone = TimeZone(identifier: name)
                var options = DecodingOptions()
                options.timeZone = .zone(Self.zone(name))
                options.dateOrder = order
                let seconds = Int64.random(in: 400_000_000...4_000_000_000, using: &random)
                let text = formatter.string(from: Date(timeIntervalSince1970: Double(seconds)))
                let found = try moment(text, options: options).milliseconds / 1000
                // A local time that the clocks repeat is the earlier of two.
                let isRepeated = formatter.string(from: Date(timeIntervalSince1970: Double(found))) == text && found < seconds
                #expect(found == seconds || isRepeated && seconds - found <= 7200, "seed \(seed): \(text) in \(name)")
            }
        }
    }

    @Test("Times without a zone are those that Foundation's calendar finds, even around changes of the clocks", arguments: zones)
    func calendar(name: String) throws {
        let zone = Self.zone(name)
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: name)!
        var options = DecodingOptions()
        options.timeZone = .zone(zone)
        var text = "device,time,lat,lon\n"
        var expected: [Instant] = []
        // Each half hour of 2025, in which no zone but those that change their clocks has gaps.
        let start = Instant("2025-01-01T00:00:00Z")!
        for half in 0..<(365 * 48) {
            let local = start + Double(half) * 1800 + 1
            let (date, time) = (local.description.prefix(10), local.description.dropFirst(11).prefix(8))
            text += "a,\(date) \(time),1,2\n"
            let parts = (date.split(separator: "-") + time.split(separator: ":")).map { Int($0)! }
            let components = DateComponents(
                year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5])
            expected.append(Instant(seconds: calendar.date(from: components)!.timeIntervalSince1970)!)
        }
        let result = decode(text, options: options)
        #expect(result.fixes.count == expected.count && result.refusals.isEmpty)
        let wrong = zip(result.fixes, expected).enumerated().filter { $0.element.0.time != $0.element.1 }
        #expect(wrong.isEmpty, "\(name): \(wrong.count), first \(String(describing: wrong.first))")
        expectSameForEveryChunking(Array(text.utf8.prefix(100_000)), options: options)
    }

    @Test("A time that the clocks repeat is the earlier one, and one that they skip has the offset before the change")
    func changes() throws {
        var options = DecodingOptions()
        options.timeZone = .zone(Self.zone("Europe/Berlin"))
        #expect(try moment("2025-10-26 02:30:00", options: options) == Instant("2025-10-26T00:30:00Z"))
        #expect(try moment("2025-10-26 03:00:00", options: options) == Instant("2025-10-26T02:00:00Z"))
        #expect(try moment("2025-03-30 02:30:00", options: options) == Instant("2025-03-30T01:30:00Z"))
        #expect(try moment("2025-03-30 03:00:00", options: options) == Instant("2025-03-30T01:00:00Z"))
    }

    // MARK: - Zones

    @Test("The times without a zone are counted by the zone that was assumed")
    func counts() throws {
        let text =
            "device,time,lat,lon\na,2025-06-01 10:00,1,2\nb,2025-06-01 10:00,1,2\nb,2025-06-01 11:00,1,2\nb,2025-06-01 12:00Z,1,2\n"
            + "b,1748782923,1,2\nc,2025-06-01 10:00,1,x\n"
        func batch(_ zone: DecodingOptions.AssumedTimeZone) throws -> FixBatch {
            var options = DecodingOptions()
            options.timeZone = zone
            var decoder = FixDecoder(source: "x", options: options)
            var batch = FixBatch()
            try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
            try decoder.finish(into: &batch)
            return batch
        }
        let plain = try batch(.zone(.utc))
        #expect(plain.timesWithoutZone.counts == [.init(timeZone: "UTC", count: 3)])
        let berlin = Self.zone("Europe/Berlin")
        let own = try batch(.ofDevices { $0 == "b" ? berlin : nil })
        #expect(own.timesWithoutZone.counts == [.init(timeZone: "UTC", count: 1), .init(timeZone: "Europe/Berlin", count: 2)])
        #expect(
            own.rows.map { String($0.fix.time.description.dropFirst(11).prefix(5)) } == [
                "10:00", "08:00", "09:00", "12:00", "13:02",
            ])
        let undecided = try batch(.undecided)
        #expect(undecided.timesWithoutZone.counts.isEmpty && undecided.rows.map(\.isLocal) == [true, true, true, false, false])
        var emptied = own
        emptied.removeAll()
        #expect(emptied.timesWithoutZone.counts.isEmpty)
    }

    @Test("The fast reader leaves times without a zone to the decoder, and refuses no other time than it")
    func plainReader() {
        var reader = PlainPositionReader()
        var batch = FixBatch()
        func reads(_ time: String) -> Bool {
            Array("{\"device\":\"a\",\"timestamp\":\(time),\"latitude\":1,\"longitude\":2}".utf8)
                .withUnsafeBufferPointer { reader.read($0, into: &batch) }
        }
        #expect(reads("\"2025-06-01T10:00:00Z\"") && reads("1748782923") && reads("\"2025-06-01 10:00:00 +02\""))
        #expect(!reads("\"2025-06-01T10:00:00\"") && !reads("20250601100000") && !reads("0") && !reads("\"06/01/2025 10:00Z\""))
    }

    // MARK: - Fuzz

    @Test("No text and no number is read as a time before 1980", arguments: [11, 12] as [UInt64])
    func fuzz(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let seeds = [
            "2025-06-01T13:02:03.123+02:00[Europe/Berlin]", "Sun, 01 Jun 2025 13:02:03 GMT", "20250601T130203Z",
            "06/01/2025 1:02 PM",
            "1748782923.5", "45809.5", "24.12.2025 10:00:00",
        ].map { Array($0.utf8) }
        let alphabet = Array("0123456789:-/.,+ TZzUCGMTapmJunSe[]eE\t\u{E9}".utf8)
        var times = TimeResolver(DecodingOptions())
        for round in 0..<30_000 {
            var bytes = seeds.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes.insert(alphabet.randomElement(using: &random)!, at: place)
                case 1 where place < bytes.count: bytes.remove(at: place)
                case 2 where place < bytes.count: bytes[place] = alphabet.randomElement(using: &random)!
                default: bytes = Array(bytes.prefix(place))
                }
            }
            // A copy in its own allocation, so that reading past its end is detected.
            let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = buffer.initialize(from: bytes)
            defer { buffer.deallocate() }
            let span = UnsafeBufferPointer(buffer).span
            let written = WrittenTime(span, 0..<span.count)
            // The same bytes within others give the same time.
            let inside = Array("x".utf8) + bytes + Array("7".utf8)
            if WrittenTime(inside.span, 1..<(inside.count - 1)) != written {
                Issue.record("seed \(seed), round \(round): \(bytes)")
            }
            guard let moment = try? times.resolve(written, device: nil).moment else { continue }
            let strict = Instant(String(decoding: bytes, as: UTF8.self))
            if moment < WrittenTime.earliest || moment > .latest || strict.map({ $0 != moment }) ?? false {
                Issue.record("seed \(seed), round \(round): \(bytes) is read as \(moment)")
            }
        }
    }
}
