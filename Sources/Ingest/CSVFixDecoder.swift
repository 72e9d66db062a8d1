import Model

/// Decodes CSV with a header (RFC 4180 and common deviations): one position per record.
///
/// A record is read in place in the chunk. A record with quotation marks is first unquoted into a buffer. Non-empty values of unknown
/// columns become attributes.
struct CSVFixDecoder {
    private var lines = LineSplitter(isQuoting: true)
    private var encoding = CSVEncoding()
    /// Whether a chunk had bytes that are not ASCII.
    private var hasOtherThanASCII = false
    /// The separator that the file states before the header.
    private var separator: UInt8?
    private var columns: FixColumns?
    private var row = CSVRow()

    mutating func decode(_ chunk: Bytes, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        if !hasOtherThanASCII { hasOtherThanASCII = !chunk.isASCII }
        var lines = lines.takeSplitter()
        defer { self.lines = lines }
        try lines.feed(chunk) { (line, number, isWhole) throws(Problem) in
            try examine(line, number, isWhole, &sink, into: &batch)
        }
    }

    mutating func finish(_ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        var lines = lines.takeSplitter()
        try lines.finish { (line, number, isWhole) throws(Problem) in
            try examine(line, number, isWhole, &sink, into: &batch)
        }
        if columns == nil {
            throw .decodingFailed(
                source: sink.source, line: nil, reason: Phrase("there is no header line with the names of the columns"))
        }
    }

    /// Determines the encoding of a record, and reads the record.
    @inline(__always)
    private mutating func examine(
        _ line: Bytes, _ number: Int, _ isWhole: Bool, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        guard isWhole else { return sink.refuseOverlong(line, number, into: &batch) }
        if hasOtherThanASCII { return try convert(line, number, &sink, into: &batch) }
        try read(line, number, &sink, into: &batch)
    }

    @inline(never)
    private mutating func convert(
        _ line: Bytes, _ number: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) throws(Problem) {
        let wasWindows1252 = encoding.isWindows1252
        switch encoding.examine(line) {
        case .valid: try read(line, number, &sink, into: &batch)
        case .windows1252:
            if !wasWindows1252 { batch.remarks.append(.readAsWindows1252) }
            // Moved out while it is read.
            var taken = CSVEncoding()
            swap(&taken, &encoding)
            defer { encoding = taken }
            try read(taken.converted.span, number, &sink, into: &batch)
        case .invalid:
            sink.refuse(
                .unreadable, line: number, field: "record", value: line.excerpt(0..<line.count),
                reason: .expecting(.notUTF8, .oneEncoding), into: &batch)
        }
    }

    @inline(__always)
    private mutating func read(_ line: Bytes, _ number: Int, _ sink: inout FixSink, into batch: inout FixBatch) throws(Problem) {
        if let columns {
            if !row.numbers.isDecided { row.decideNumbers(line, number: number, columns: columns) }
            row.read(line, number: number, columns: columns, sink: &sink, into: &batch)
        } else {
            try readHeader(line, sink, into: &batch)
        }
    }

    @inline(never)
    private mutating func readHeader(_ line: Bytes, _ sink: FixSink, into batch: inout FixBatch) throws(Problem) {
        if line.trimmed(0..<line.count).isEmpty || line[0] == UInt8(ascii: "#") { return }
        if separator == nil, let stated = CSVHeader.statedSeparator(in: line) {
            separator = stated
            return
        }
        let options = sink.options
        let header = CSVHeader(line, separator: separator) {
            CSVColumns.count(FixColumns.candidates, in: $0, mapping: options.columns)
        }
        guard let header else { return }
        let columns = try FixColumns(header, mapping: options.columns, timeIsGiven: sink.givesTimes, source: sink.source)
        self.columns = columns
        if columns.namesDevice || options.device != nil { return }
        let others = zip(header.names, columns.roles).filter { $0.1 == .other && !$0.0.isEmpty }.map(\.0)
        if !others.isEmpty { batch.remarks.append(.noDeviceColumn(Array(others.prefix(5)))) }
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
    /// The decimal sign of the file.
    private(set) var numbers = CSVNumbers()
    /// What other columns say about the numbers of the record.
    private var modifiers = Modifiers()
    /// The first field of the record that is not read, if `hasFlaw`.
    private var flaw: (column: Int, reason: Phrase) = (0, .missing)
    private var hasFlaw = false

    /// The values of one record in the columns that change the meaning of others.
    private struct Modifiers {
        var latitude: AngleText?
        var longitude: AngleText?
        var hemispheres: [(hemisphere: Hemisphere, column: Int)] = []
        /// The number of columns of hemispheres that have a value.
        var namedHemispheres = 0
        /// The units of the columns of units in meters; NaN without a value.
        var accuracyFactor = Double.nan
        var altitudeFactor = Double.nan
        /// The divisor that converts the speed to meters per second; NaN without a value.
        var speedDivisor = Double.nan
    }

    /// Determines the decimal sign of the file from a record, if the record is unambiguous.
    @inline(never)
    mutating func decideNumbers(_ line: Bytes, number: Int, columns: FixColumns) {
        guard fields.split(line, separator: columns.header.separator) else { return }
        let fields = fields
        let roles = columns.roles.prefix(fields.count)
        let text = fields.text.span
        for (column, role) in roles.enumerated() {
            let field = fields.range(of: column)
            if (role == .latitude && !columns.latitudeIsE7) || (role == .longitude && !columns.longitudeIsE7) {
                numbers.decide(coordinate: text, field, line: number)
            }
        }
        for (column, role) in roles.enumerated() where role.hasNumber {
            numbers.decide(number: text, fields.range(of: column), line: number)
        }
    }

    @inline(__always)
    mutating func read(
        _ line: Bytes, number: Int, columns: FixColumns, sink: inout FixSink, into batch: inout FixBatch
    ) {
        let separator = columns.header.separator
        clear(columns)
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

    @inline(__always)
    private mutating func clear(_ columns: FixColumns) {
        reading = PositionReading()
        device = 0..<0
        date = 0..<0
        time = 0..<0
        hasFlaw = false
        if !columns.isPlain { modifiers = Modifiers() }
    }

    /// Reads a record that contains quotation marks.
    @inline(never)
    private mutating func readQuoted(
        _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        clear(columns)
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
            if case .unusable(.notATime)? = reading.time { readNumberedTime(bytes, field) }
        case .latitude:
            reading.latitude = reading.required(degrees(bytes, field, role, column, columns), .latitude)
        case .longitude:
            reading.longitude = reading.required(degrees(bytes, field, role, column, columns), .longitude)
        case .accuracy: reading.accuracy = reading.required(accuracy(bytes, field, column, columns), .accuracy)
        case .altitude, .speed, .course, .battery, .percent, .dilution, .validity, .other:
            readOptionalField(role: role, column: column, columns: columns, bytes: bytes, field: field)
        case .hemisphere, .accuracyUnit, .altitudeUnit, .speedUnit:
            readModifier(role: role, column: column, text: bytes.text(field))
        }
    }

    // MARK: - Numbers

    /// Reads a time that is a number with a decimal comma.
    @inline(never)
    private mutating func readNumberedTime(_ bytes: Bytes, _ field: Range<Int>) {
        if let number = DecimalNumber.parse(bytes, field, point: UInt8(ascii: ",")) { reading.readTime(unix: number) }
    }

    @inline(__always)
    private mutating func degrees(
        _ bytes: Bytes, _ field: Range<Int>, _ role: FixColumns.Role, _ column: Int, _ columns: FixColumns
    ) -> Double? {
        if numbers.hasPoint, columns.isPlain, let number = DecimalNumber.parse(bytes, field) { return number }
        return angle(bytes, field, role, column, columns)
    }

    @inline(never)
    private mutating func angle(
        _ bytes: Bytes, _ field: Range<Int>, _ role: FixColumns.Role, _ column: Int, _ columns: FixColumns
    ) -> Double? {
        let isLatitude = role == .latitude
        if columns.isPlain, numbers.isDecided, let number = DecimalNumber.parse(bytes, field, point: numbers.point) {
            return number
        }
        do throws(NumberFlaw) {
            let angle = try numbers.coordinate(
                bytes, field, isLatitude: isLatitude, isE7: isLatitude ? columns.latitudeIsE7 : columns.longitudeIsE7,
                hasHemispheres: columns.hemispheres > 0)
            if !columns.isPlain {
                if isLatitude { modifiers.latitude = angle } else { modifiers.longitude = angle }
            }
            return angle.degrees
        } catch {
            refuse(column, error.reason(usual: isLatitude ? .degreesIn(90) : .degreesIn(180)))
            return nil
        }
    }

    @inline(__always)
    private mutating func accuracy(_ bytes: Bytes, _ field: Range<Int>, _ column: Int, _ columns: FixColumns) -> Double? {
        if numbers.hasPoint, columns.accuracyUnit == nil, let number = DecimalNumber.parse(bytes, field) { return number }
        return length(bytes, field, column, columns)
    }

    @inline(never)
    private mutating func length(_ bytes: Bytes, _ field: Range<Int>, _ column: Int, _ columns: FixColumns) -> Double? {
        do throws(NumberFlaw) {
            if columns.unitColumns.contains(.accuracy) { return try numbers.number(bytes, field) }
            return try numbers.meters(bytes, field, unit: columns.accuracyUnit)
        } catch {
            refuse(column, error.reason(usual: .metersFromZero))
            return nil
        }
    }

    /// Keeps the first reason why a field of the record is not read.
    private mutating func refuse(_ column: Int, _ reason: Phrase) {
        if hasFlaw { return }
        hasFlaw = true
        flaw = (column, reason)
    }

    /// Reads a field that a fix does not need. A value that should be a number and is not becomes an attribute.
    @inline(never)
    private mutating func readOptionalField(
        role: FixColumns.Role, column: Int, columns: FixColumns, bytes: Bytes, field: Range<Int>
    ) {
        if role == .dilution { reading.dilution = (try? numbers.number(bytes, field)) ?? .nan }
        if role == .validity { reading.isValid = !Validity.isFalse(bytes.text(field)) }
        guard let number = optionalNumber(role, columns, bytes, field) else {
            return attributes.add(name: columns.header.names[column], text: bytes, field)
        }
        switch role {
        case .altitude: reading.altitude = number
        case .speed: reading.speed = number
        case .course: reading.course = number
        case .percent: reading.battery = PositionReading.charge(percent: number)
        case .battery: reading.battery = PositionReading.charge(number)
        default: break
        }
    }

    @inline(__always)
    private func optionalNumber(
        _ role: FixColumns.Role, _ columns: FixColumns, _ bytes: Bytes, _ field: Range<Int>
    ) -> Double? {
        switch role {
        case .altitude:
            if numbers.hasPoint, columns.altitudeUnit == nil, let number = DecimalNumber.parse(bytes, field) { return number }
            if columns.unitColumns.contains(.altitude) { return try? numbers.number(bytes, field) }
            return try? numbers.meters(bytes, field, unit: columns.altitudeUnit)
        case .speed:
            if numbers.hasPoint, let number = DecimalNumber.parse(bytes, field) { return number / columns.speedUnit.divisor }
            if columns.unitColumns.contains(.speed) { return try? numbers.number(bytes, field) }
            return try? numbers.speed(bytes, field, unit: columns.speedUnit)
        case .course, .percent, .battery:
            if numbers.hasPoint, let number = DecimalNumber.parse(bytes, field) { return number }
            return try? numbers.number(bytes, field)
        default: return nil
        }
    }

    // MARK: - Columns that change the meaning of others

    /// Reads the hemisphere of a coordinate, or the unit of another column.
    @inline(never)
    private mutating func readModifier(role: FixColumns.Role, column: Int, text: String) {
        switch role {
        case .hemisphere:
            guard let named = Hemisphere.named(text) else {
                return refuse(column, .expecting(.notAHemisphere, .oneOf(["N", "S", "E", "W"])))
            }
            modifiers.namedHemispheres += 1
            modifiers.hemispheres += named.map { ($0, column) }
        case .accuracyUnit, .altitudeUnit:
            guard let unit = LengthUnit.named(text) else {
                return refuse(column, .expecting(.unknownUnit(text), .oneOf(LengthUnit.symbols)))
            }
            if role == .accuracyUnit { modifiers.accuracyFactor = unit.meters } else { modifiers.altitudeFactor = unit.meters }
        case .speedUnit:
            guard let unit = SpeedUnit(symbol: text) else {
                return refuse(column, .expecting(.unknownUnit(text), .oneOf(SpeedUnit.symbols)))
            }
            modifiers.speedDivisor = unit.divisor
        default: break
        }
    }

    /// Applies the hemispheres and the units that other columns name.
    @inline(never)
    private mutating func applyModifiers(_ columns: FixColumns) {
        if modifiers.namedHemispheres < columns.hemispheres, let column = columns.roles.firstIndex(of: .hemisphere) {
            refuse(column, .expecting(.missing, .oneOf(["N", "S", "E", "W"])))
        }
        for (hemisphere, column) in modifiers.hemispheres {
            let isLatitude = hemisphere.isOfLatitude
            guard let angle = isLatitude ? modifiers.latitude : modifiers.longitude else { continue }
            do throws(NumberFlaw) {
                let degrees = try angle.degrees(in: hemisphere)
                if isLatitude { reading.latitude = degrees } else { reading.longitude = degrees }
            } catch {
                refuse(column, error.reason(usual: .oneOf(isLatitude ? ["N", "S"] : ["E", "W"])))
            }
        }
        let isNamed = (
            latitude: modifiers.hemispheres.contains { $0.hemisphere.isOfLatitude },
            longitude: modifiers.hemispheres.contains { !$0.hemisphere.isOfLatitude }
        )
        for (role, angle, isNamed) in [
            (FixColumns.Role.latitude, modifiers.latitude, isNamed.latitude),
            (.longitude, modifiers.longitude, isNamed.longitude),
        ] where angle?.needsHemisphere == true && !isNamed {
            refuse(columns.roles.firstIndex(of: role) ?? 0, .expecting(.degreesAndMinutes, .hemisphereOrDegreeSign))
        }
        for (field, role, factor) in [
            (FixField.accuracy, FixColumns.Role.accuracyUnit, modifiers.accuracyFactor),
            (.altitude, .altitudeUnit, modifiers.altitudeFactor), (.speed, .speedUnit, modifiers.speedDivisor),
        ] where columns.unitColumns.contains(field) && factor.isNaN {
            let isGiven =
                field == .accuracy ? !reading.accuracy.isNaN : field == .altitude ? !reading.altitude.isNaN : !reading.speed.isNaN
            if isGiven {
                refuse(
                    columns.roles.firstIndex(of: role) ?? 0,
                    .expecting(.missing, .oneOf(field == .speed ? SpeedUnit.symbols : LengthUnit.symbols)))
            }
        }
        if columns.unitColumns.contains(.accuracy) { reading.accuracy *= modifiers.accuracyFactor }
        if columns.unitColumns.contains(.altitude) { reading.altitude *= modifiers.altitudeFactor }
        if columns.unitColumns.contains(.speed) { reading.speed /= modifiers.speedDivisor }
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
        if !columns.isPlain { applyModifiers(columns) }
        if hasFlaw { return refuseField(line, number, columns, &sink, into: &batch) }
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
        if columns.header.isBlank(line) { return }
        var value = columns.roles.firstIndex { $0.field == flaw.field }.map { text(of: $0, in: line, columns) } ?? ""
        if flaw.field == .time, !value.isEmpty, let date = columns.roles.firstIndex(of: .date) {
            let text = text(of: date, in: line, columns)
            if !text.isEmpty { value = "\(text) \(value)" }
        }
        sink.refuse(flaw, line: number, field: columns.name(of: flaw.field), value: value, into: &batch)
    }

    /// Refuses the record because of `flaw`.
    @inline(never)
    private mutating func refuseField(
        _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        if columns.header.isBlank(line) { return }
        sink.refuse(
            .unreadable, line: number, field: columns.header.names[flaw.column], value: text(of: flaw.column, in: line, columns),
            reason: flaw.reason, into: &batch)
    }

    /// The text of a column in a record; empty if the record is shorter.
    private func text(of column: Int, in line: Bytes, _ columns: FixColumns) -> String {
        var fields = CSVFields()
        _ = fields.split(line, separator: columns.header.separator)
        return column < fields.count ? fields.string(column) : ""
    }

    @inline(never)
    private mutating func refuseLength(
        _ line: Bytes, _ number: Int, _ columns: FixColumns, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        attributes.clear()
        sink.refuse(
            line: number, field: "record", value: line.excerpt(0..<line.count),
            reason: .expecting(Phrase("it has more fields than the header, which has \(columns.roles.count)"), .quotesAround),
            into: &batch)
    }
}
