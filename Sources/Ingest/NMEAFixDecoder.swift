import Model

/// Decodes NMEA 0183: one fix for each RMC sentence with a position. A GGA sentence with the same time, before or after the RMC sentence,
/// adds accuracy and altitude. GGA alone gives no fix, because it has no date.
///
/// The accuracy is `hdop` × 5 m, the error of a simple receiver per unit of dilution. Void sentences (RMC status other than A, GGA quality
/// 0) are refused once, at the end, with their number.
struct NMEAFixDecoder {
    private var lines = LineSplitter()
    private var attributes = AttributeWriter()
    /// The last fix, for which a GGA sentence may still follow.
    private var pending: (reading: PositionReading, time: NMEATime, line: Int)?
    /// The values of the last GGA sentence.
    private var supplement: (time: NMEATime, accuracy: Double, altitude: Double)?
    private var positions = 0
    private var datelessSentences = LineCount()
    private var voidSentences = LineCount()
    private var nonSentences = LineCount()

    /// Counts occurrences, and keeps the line of the first.
    private struct LineCount {
        var count = 0
        var line = 0
        mutating func add(_ number: Int) {
            if count == 0 { line = number }
            count += 1
        }
    }

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) {
        var lines = lines.takeSplitter()
        defer { self.lines = lines }
        lines.feed(chunk) { line, number, isWhole in read(line, number, isWhole, &sink, into: &batch) }
    }

    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) {
        var lines = lines.takeSplitter()
        lines.finish { line, number, isWhole in read(line, number, isWhole, &sink, into: &batch) }
        deliver(&sink, into: &batch)
        if voidSentences.count > 0 {
            sink.refuse(
                line: voidSentences.line, field: "status", value: "V",
                reason: .expecting(
                    Phrase(
                        voidSentences.count,
                        one: "\(voidSentences.count) sentence from here on is void: the receiver had no position",
                        other: "\(voidSentences.count) sentences from here on are void: the receiver had no position"),
                    Phrase("RMC with status A")), into: &batch)
        }
        if positions == 0, datelessSentences.count > 0 {
            sink.refuse(
                line: datelessSentences.line, field: "GGA", value: "",
                reason:
                    .expecting(
                        Phrase(
                            datelessSentences.count,
                            one: "\(datelessSentences.count) GGA sentence gives a position without a date",
                            other: "\(datelessSentences.count) GGA sentences give a position without a date"),
                        Phrase("RMC sentences beside them")),
                into: &batch)
        }
        if nonSentences.count > 0 {
            sink.refuse(
                line: nonSentences.line, field: "line", value: "",
                reason: .expecting(
                    Phrase(
                        nonSentences.count, one: "\(nonSentences.count) line from here on is not an NMEA sentence",
                        other: "\(nonSentences.count) lines from here on are not NMEA sentences"),
                    Phrase("$, fields between commas, * and a checksum")), into: &batch)
        }
    }

    private mutating func read(
        _ line: Bytes, _ number: Int, _ isWhole: Bool, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        guard isWhole else { return sink.refuseOverlong(line, number, into: &batch) }
        guard line.count > 0, line[0] != UInt8(ascii: "#") else { return }
        do throws(NMEASentence.ChecksumError) {
            if let sentence = try NMEASentence(line, types: ["RMC", "GGA"]) {
                if sentence.type == "RMC" {
                    readRMC(sentence, line, number, &sink, into: &batch)
                } else {
                    readGGA(sentence, line, number, &sink, into: &batch)
                }
            } else if line.firstIndex(of: UInt8(ascii: ","), from: 0) != nil, !Self.hasStart(line) {
                nonSentences.add(number)  // a comment of the logger has no commas, so this may have been a sentence
            }
        } catch {
            let reason: Phrase =
                switch error {
                case .noChecksum: .expecting(.noChecksum, .checksum)
                case .wrongChecksum(let written, let right):
                    written.isEmpty
                        ? Phrase("its checksum is empty instead of \(right), so the sentence is damaged")
                        : .wrongChecksum(written, right)
                }
            sink.refuse(line: number, field: "checksum", value: line.excerpt(0..<line.count), reason: reason, into: &batch)
        }
    }

    /// Whether the line contains the start of a sentence: `$`, or `!` for AIS.
    private static func hasStart(_ line: Bytes) -> Bool {
        line.firstIndex(of: UInt8(ascii: "$"), from: 0) != nil || line.firstIndex(of: UInt8(ascii: "!"), from: 0) != nil
    }

    /// Reads RMC: time, status, latitude, N/S, longitude, E/W, knots, course, date `ddmmyy`.
    private mutating func readRMC(
        _ sentence: NMEASentence, _ line: Bytes, _ number: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        deliver(&sink, into: &batch)
        guard sentence.fields.count >= 10 else {
            return sink.refuse(
                line: number, field: "RMC", value: line.excerpt(0..<line.count),
                reason: .expecting(
                    Phrase(
                        sentence.fields.count - 1, one: "it has \(sentence.fields.count - 1) field",
                        other: "it has \(sentence.fields.count - 1) fields"), Phrase("at least 9")), into: &batch)
        }
        guard sentence.text(2, of: line) == "A" else { return voidSentences.add(number) }
        guard let time = sentence.timeOfDay(1, of: line), let moment = Self.moment(date: sentence.text(9, of: line), time) else {
            return sink.refuse(
                line: number, field: "RMC date and time",
                value: "\(sentence.text(9, of: line)) \(sentence.text(1, of: line))",
                reason: .expecting(.notATime, Phrase("ddmmyy and hhmmss.sss")), into: &batch)
        }
        var reading = PositionReading()
        reading.time = .moment(moment)
        for (field, path) in [(3, FixField.latitude), (5, .longitude)] {
            guard let angle = sentence.angle(field, of: line) else {
                return sink.refuse(
                    line: number, field: "RMC \(path.name)",
                    value: "\(sentence.text(field, of: line)),\(sentence.text(field + 1, of: line))",
                    reason:
                        .expecting(
                            .angleUnreadable, path == .latitude ? Phrase("ddmm.mmm and N or S") : Phrase("dddmm.mmm and E or W")),
                    into: &batch)
            }
            if path == .latitude { reading.latitude = angle } else { reading.longitude = angle }
        }
        if let knots = sentence.number(7, of: line) { reading.speed = knots * Self.metersPerSecondPerKnot }
        if let course = sentence.number(8, of: line) { reading.course = course }
        positions += 1
        pending = (reading, time, number)
        if let supplement, supplement.time.milliseconds == time.milliseconds {
            addSupplement(supplement.accuracy, supplement.altitude)
            deliver(&sink, into: &batch)
        }
    }

    /// Reads GGA: time, latitude, N/S, longitude, E/W, quality, satellites, horizontal dilution, altitude in meters above sea level.
    private mutating func readGGA(
        _ sentence: NMEASentence, _ line: Bytes, _ number: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        if sentence.text(6, of: line) == "0" { return voidSentences.add(number) }
        guard let time = sentence.timeOfDay(1, of: line) else { return }
        datelessSentences.add(number)
        let accuracy = (sentence.number(8, of: line) ?? .nan) * Dilution.metersPerUnit
        let altitude = sentence.number(9, of: line) ?? .nan
        if pending?.time.milliseconds == time.milliseconds { addSupplement(accuracy, altitude) }
        deliver(&sink, into: &batch)
        supplement = (time, accuracy, altitude)
    }

    private mutating func addSupplement(_ accuracy: Double, _ altitude: Double) {
        if accuracy > 0 { pending?.reading.accuracy = accuracy }
        pending?.reading.altitude = altitude
        supplement = nil
    }

    private mutating func deliver(_ sink: inout FixSink, into batch: inout FixBatch) {
        guard let (reading, _, line) = pending else { return }
        pending = nil
        do throws(ReadingFlaw) {
            let nobody: [UInt8] = []
            let device = try sink.device(.file, nobody.span, in: &batch)
            try sink.deliver(reading, device: device, attributes: &attributes, line: line, into: &batch)
        } catch {
            let value =
                switch error.field {
                case .latitude: "\(reading.latitude)"
                case .longitude: "\(reading.longitude)"
                default: ""
                }
            sink.refuse(error, line: line, field: "RMC \(error.field.name)", value: value, into: &batch)
        }
    }

    /// One knot in meters per second (1852 m per hour).
    private static let metersPerSecondPerKnot = 1852.0 / 3600

    /// A moment from a date `ddmmyy` and a time of day. Years from 80 on are in the 1900s. A year `-1`, which some receivers
    /// write after a week number rollover, is 1999.
    private static func moment(date: String, _ time: NMEATime) -> Instant? {
        guard date.utf8.count == 6, let short = Int(date.dropFirst(4)) else { return nil }
        let year = short >= 80 ? 1900 + short : 2000 + short
        return Instant("\(year)-\(date.dropFirst(2).prefix(2))-\(date.prefix(2))T\(time.text)Z")
    }
}

/// Converts dilution of precision to accuracy.
enum Dilution {
    /// Meters of accuracy per unit of horizontal dilution, for a simple receiver with a clear view of the sky.
    static let metersPerUnit = 5.0
}
