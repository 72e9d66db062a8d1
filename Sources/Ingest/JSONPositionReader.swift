import Model

/// Reads one JSON object as a position, either Picket's own or an OwnTracks message, and delivers it.
struct JSONPositionReader {
    private var scanner = PositionScanner()
    private var attributes = AttributeWriter()
    private let defaultNaming: FixSink.DeviceNaming
    /// The device whose export is being read; nil outside of one.
    private var exportedDevice: String?

    /// - Parameter nameless: How the device of a position without a name is determined.
    init(defaultNaming nameless: FixSink.DeviceNaming) { self.defaultNaming = nameless }

    /// Reads the object in the bytes. An unreadable object is refused.
    @inline(__always)
    mutating func read(_ bytes: Bytes, line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        if scanner.scan(bytes, attributes: &attributes) {
            do throws(ReadingFlaw) {
                let naming = scanner.device.isEmpty ? defaultNaming : .named(scanner.device)
                let device = try sink.device(naming, bytes, in: &batch)
                return try sink.deliver(
                    scanner.reading, device: device, attributes: &attributes, line: line, into: &batch)
            } catch {}  // read again below, which reports the reason
        }
        readAgain(bytes, line, &sink, into: &batch)
    }

    /// Reads any object with the general parser.
    @inline(never)
    private mutating func readAgain(_ bytes: Bytes, _ line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        attributes.clear()
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(bytes)
        } catch {
            return sink.refuse(
                .malformed, line: line, field: "position", value: bytes.excerpt(0..<bytes.count),
                reason:
                    .expecting(.notJSON(error.reason), .positionObject),
                into: &batch)
        }
        guard let members = value.members else {
            return sink.refuse(
                .malformed, line: line, field: "position", value: bytes.excerpt(0..<bytes.count),
                reason: .expecting(.notAnObject, .positionObject), into: &batch)
        }
        let object: JSONReading
        if let record = ExportedRecord(members) {
            switch record {
            case .device(let id): return exportedDevice = id
            case .other where exportedDevice != nil: return
            case .other: object = JSONReading(members, .own, attributes: &attributes)
            case .fix(let fix): object = ExportedRecord.reading(fix, of: exportedDevice, attributes: &attributes)
            }
        } else if let type = value["_type"]?.string {
            guard let location = OwnTracksLocation.reading(type: type, message: value, members: members, attributes: &attributes)
            else {
                return OwnTracksLocation.refuseEncrypted(type, line: line, &sink, into: &batch)
            }
            object = location
        } else {
            object = JSONReading(members, .own(for: members), attributes: &attributes)
        }
        do throws(ReadingFlaw) {
            let device = try object.device?.withBytes { (name) throws(ReadingFlaw) in
                try sink.device(.named(0..<name.count), name, in: &batch)
            }
            let nobody: [UInt8] = []
            let number = if let device { device } else { try sink.device(defaultNaming, nobody.span, in: &batch) }
            try sink.deliver(object.reading, device: number, attributes: &attributes, line: line, into: &batch)
            batch.addAlarm(object, device: number < 0 ? nil : batch.deviceNames[Int(number)], fix: batch.rows.last?.fix)
        } catch {
            attributes.clear()
            batch.addAlarm(object, device: sink.options.device ?? Identifier.device(object.device), fix: nil)
            let source = object.source(of: error.field)
            sink.refuse(
                error.kind, device: Identifier.device(object.device), line: line,
                field: source.name, value: source.value, reason: error.reason, into: &batch)
        }
    }
}

extension JSONParser {
    /// Parses the single value in the bytes.
    static func parse(_ bytes: Bytes) throws(Failure) -> JSONValue {
        let result: Result<JSONValue, Failure> = unsafe bytes.withUnsafeBufferPointer { buffer in
            do throws(Failure) { return .success(unsafe try parse(buffer)) } catch { return .failure(error) }
        }
        return try result.get()
    }
}
