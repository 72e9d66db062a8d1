import Model

/// Decodes CSV with a header (RFC 4180 and common deviations): one position per record.
///
/// A record is read in place in the chunk. A record with quotation marks is first unquoted into a buffer. Non-empty values of unknown
/// columns become attributes.
struct CSVFixDecoder {
    private var lines = LineSplitter(isQuoting: true)
    private var columns: FixColumns?
    private var row = CSVRow()

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var lines = lines.takeSplitter()
        defer { self.lines = lines }
        try lines.feed(chunk) { (line, number, isWhole) throws(Problem) in
            try read(line, number, isWhole, &sink, into: &batch)
        }
    }

    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var lines = lines.takeSplitter()
        try lines.finish { (line, number, isWhole) throws(Problem) in
            try read(line, number, isWhole, &sink, into: &batch)
        }
        if columns == nil {
            throw .decodingFailed(source: sink.source, line: nil, reason: .noHeader)
        }
    }

    private mutating func read(
        _ line: Bytes, _ number: Int, _ isWhole: Bool, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        guard isWhole else { return sink.refuseOverlong(line, number, into: &batch) }
        if let columns {
            row.read(line, number: number, columns: columns, sink: &sink, into: &batch)
        } else if !line.trimmed(0..<line.count).isEmpty, line[0] != UInt8(ascii: "#"), let header = CSVHeader(line) {
            columns = try FixColumns(
                header, mapping: sink.options.columns, timeIsGiven: sink.givesTimes, source: sink.source)
        }
    }
}

/// Reads one record of a CSV file of positions. Its buffers are reused.
private struct CSVRow {
    private var fields = CSVFields()
    private var attributes = AttributeWriter()
    private var reading = PositionReading()
    private var device = 0..<0
    private var date = 0..<0
    private var time = 0..<0

    @inline(__always)
    mutating func read(
        _ line: Bytes, number: Int, columns: FixColumns, sink: inout FixSink, into batch: inout FixBatch
    ) {
        let separator = columns.header.separator
        reading = PositionReading()
        device = 0..<0
        date = 0..<0
        time = 0..<0
        var column = 0
        var start = 0
        let end = line.count
        if end == 0 { return }
        while true {
            var stop = start
            while stop < end, line[stop] != separator { stop += 1 }
            if start < stop {
                if line[start] == UInt8(ascii: "\"") { return readQuoted(line, number, columns, &sink, into: &batch) }
                if column >= columns.roles.count { return refuseLength(line, number, columns, &sink, into: &batch) }
                readField(role: columns.roles[column], column: column, columns: columns, bytes: line, field: start..<stop)
            }
            if stop == end { break }
            start = stop + 1
            column += 1
        }
        deliver(line, line, number, columns, &sink, into: &batch)
    }

    /// Reads a record that contains quotation marks.
    @inline(never)
    private mutating func readQuoted(
        _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        reading = PositionReading()
        device = 0..<0
        date = 0..<0
        time = 0..<0
        guard fields.split(line, separator: columns.header.separator) else {
            return sink.refuse(
                line: number, field: "quotation", value: line.excerpt(0..<line.count),
                reason: .expecting(.quoteNotClosed, .secondQuote), into: &batch)
        }
        var taken = CSVFields()
        swap(&taken, &fields)
        defer { fields = taken }
        for column in 0..<taken.count where !taken.range(of: column).isEmpty {
            if column >= columns.roles.count { return refuseLength(line, number, columns, &sink, into: &batch) }
            readField(
                role: columns.roles[column], column: column, columns: columns, bytes: taken.text.span,
                field: taken.range(of: column))
        }
        deliver(taken.text.span, line, number, columns, &sink, into: &batch)
    }

    /// Reads one field.
    @inline(__always)
    private mutating func readField(
        role: FixColumns.Role, column: Int, columns: FixColumns, bytes: Bytes, field: Range<Int>
    ) {
        var field = field
        if bytes[field.lowerBound].isSpace || bytes[field.upperBound - 1].isSpace {
            field = bytes.trimmed(field)
            if field.isEmpty { return }
        }
        switch role {
        case .device: device = field
        case .date: date = field
        case .time where columns.splitsTime: time = field
        case .time:
            reading.readTime(bytes, field)
            if reading.time == .unusable(.notATime) { readNumberedTime(columns: columns, bytes: bytes, field: field) }
        case .latitude: reading.latitude = reading.required(columns.header.number(bytes, field), .latitude)
        case .longitude: reading.longitude = reading.required(columns.header.number(bytes, field), .longitude)
        case .accuracy: reading.accuracy = reading.required(columns.header.number(bytes, field), .accuracy)
        case .altitude, .speed, .course, .battery, .percent, .dilution, .validity, .other:
            readOptionalField(role: role, column: column, columns: columns, bytes: bytes, field: field)
        }
    }

    /// Reads a time that is a number with the decimal sign of the file.
    @inline(never)
    private mutating func readNumberedTime(columns: FixColumns, bytes: Bytes, field: Range<Int>) {
        if let number = columns.header.number(bytes, field) { reading.readTime(unix: number) }
    }

    /// Reads a field that a fix does not need. A value that should be a number and is not becomes an attribute.
    @inline(never)
    private mutating func readOptionalField(
        role: FixColumns.Role, column: Int, columns: FixColumns, bytes: Bytes, field: Range<Int>
    ) {
        if role == .dilution { reading.dilution = columns.header.number(bytes, field) ?? .nan }
        if role == .validity { reading.isValid = !Validity.isFalse(bytes.text(field)) }
        let isExtra = role == .other || role == .dilution || role == .validity
        let number = isExtra ? nil : columns.header.number(bytes, field)
        guard let number else { return attributes.add(name: columns.header.names[column], text: bytes, field) }
        switch role {
        case .altitude: reading.altitude = number
        case .speed: reading.speed = number / columns.speedUnit.divisor
        case .course: reading.course = number
        case .percent: reading.battery = PositionReading.charge(percent: number)
        case .battery: reading.battery = PositionReading.charge(number)
        default: break
        }
    }

    /// Combines date and time of day from two columns, or reads the time column alone if it has both.
    @inline(never)
    private mutating func joinTime(_ bytes: Bytes) {
        if time.isEmpty { return }
        reading.time = WrittenTime(date: date, time: time, in: bytes)
    }

    @inline(__always)
    private mutating func deliver(
        _ bytes: Bytes, _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink,
        into batch: inout FixBatch
    ) {
        if columns.splitsTime { joinTime(bytes) }
        do throws(ReadingFlaw) {
            if columns.namesDevice, device.isEmpty, sink.options.device == nil { throw .missing(.device) }
            let device = try sink.device(columns.namesDevice ? .named(device) : .file, bytes, in: &batch)
            try sink.deliver(reading, device: device, attributes: &attributes, line: number, into: &batch)
        } catch {
            refuse(error, line, number, columns, &sink, into: &batch)
        }
    }

    @inline(never)
    private mutating func refuse(
        _ flaw: ReadingFlaw, _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink,
        into batch: inout FixBatch
    ) {
        attributes.clear()
        if line.trimmed(0..<line.count).isEmpty { return }
        var fields = CSVFields()
        _ = fields.split(line, separator: columns.header.separator)
        let column = columns.roles.firstIndex { $0.field == flaw.field }
        var value = column.map { $0 < fields.count ? fields.string($0) : "" } ?? ""
        if flaw.field == .time, !value.isEmpty, let date = columns.roles.firstIndex(of: .date), date < fields.count {
            value = "\(fields.string(date)) \(value)"
        }
        sink.refuse(flaw, line: number, field: columns.name(of: flaw.field), value: value, into: &batch)
    }

    @inline(never)
    private mutating func refuseLength(
        _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        sink.refuse(
            line: number, field: "record", value: line.excerpt(0..<line.count),
            reason: .expecting(.moreFieldsThanHeader(columns.roles.count), .quotesAround), into: &batch)
    }
}
