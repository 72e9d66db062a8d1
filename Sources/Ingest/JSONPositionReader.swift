import Model

/// Reads JSON objects as positions, and delivers them: Picket's own positions, messages of OwnTracks, positions that apps nest in an object,
/// and objects of the exports of Google Timeline and Google Takeout.
///
/// Objects without any member of a position are refused one by one if the input also has positions. An input without positions is
/// refused once.
struct JSONPositionReader {
    /// The maximum number of objects without a position whose refusals are held until the input has a position. Further ones are
    /// counted.
    private static let maxForeign = 100
    /// The maximum number of names to report of the members of foreign objects.
    private static let maxNames = 8

    private var scanner = PositionScanner()
    private var attributes = AttributeWriter()
    private let defaultNaming: FixSink.DeviceNaming
    /// Whether the input is a file of the OwnTracks recorder.
    private var isRecording: Bool { if case .file = defaultNaming { true } else { false } }
    /// The device whose export is being read; nil outside of one.
    private var exportedDevice: String?

    /// Whether the input has positions, as far as it was read.
    private var hasPositions = false
    /// The refusals of the objects so far, as long as none has a member of a position.
    private var held: [Refusal] = []
    /// The number of objects without a position that came after those.
    private var moreForeign = 0
    /// The first names of the members of these objects.
    private var foreignNames: [String] = []
    /// The members of the object around the current list that apply to each of its elements.
    var enclosing: [JSONValue.Member] = []
    /// The phones of an account of Google, at most `maxNames`.
    private var phones: Set<String> = []

    /// - Parameter nameless: How the device of a position without a name is determined.
    init(defaultNaming nameless: FixSink.DeviceNaming) { self.defaultNaming = nameless }

    /// Reads the object in the bytes. An unreadable object is refused.
    @inline(__always)
    mutating func read(_ bytes: Bytes, line: Int, _ sink: inout FixSink, into batch: inout FixBatch) {
        if enclosing.isEmpty, scanner.scan(bytes, attributes: &attributes) {
            do throws(ReadingFlaw) {
                let naming = scanner.device.isEmpty ? defaultNaming : .named(scanner.device)
                let device = try sink.device(naming, bytes, in: &batch)
                try sink.deliver(
                    scanner.reading, device: device, attributes: &attributes, line: line, into: &batch)
                if !hasPositions { acceptContent(sink, into: &batch) }
                return
            } catch {}  // read again below, which reports the reason
        }
        readAgain(bytes, line, &sink, into: &batch)
    }

    /// Refuses an input without any position at its end, and reports positions of several phones that become those of one device.
    mutating func finish(_ sink: FixSink, into batch: inout FixBatch) {
        if let device = sink.options.device, phones.count > 1 { batch.remarks.append(.severalPhones(phones.sorted(), device)) }
        if hasPositions || held.isEmpty { return }
        sink.refuse(
            line: nil, field: "position", value: "", reason: .expecting(.objectsWithoutPosition(foreignNames), .positionsInJSON),
            into: &batch)
    }

    /// Adds the refusals that were held, because the input has positions.
    @inline(never)
    private mutating func acceptContent(_ sink: FixSink, into batch: inout FixBatch) {
        hasPositions = true
        batch.refusals += held
        held = []
        if moreForeign == 0 { return }
        sink.refuse(
            line: nil, field: "position", value: "",
            reason: .expecting(.morePositionsRefused(moreForeign, Self.maxForeign), .positionsInJSON), into: &batch)
    }

    /// Refuses an object without any member of a position.
    private mutating func refuseForeign(_ members: [JSONValue.Member], _ refusal: Refusal, into batch: inout FixBatch) {
        if hasPositions { return batch.refusals.append(refusal) }
        guard held.count < Self.maxForeign else {
            moreForeign += 1
            return
        }
        held.append(refusal)
        for member in members where foreignNames.count < Self.maxNames && !foreignNames.contains(member.name) {
            foreignNames.append(member.name.count > 40 ? member.name.prefix(39) + "…" : member.name)
        }
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
            return refuseForeign(
                [],
                sink.refusal(
                    .malformed, line: line, field: "position", value: bytes.excerpt(0..<bytes.count),
                    reason: .expecting(.notAnObject, .positionObject)), into: &batch)
        }
        guard let list = members.last(where: { PositionList.names.contains($0.name) && $0.value.array != nil }) else {
            return read(value, enclosing + members, line, &sink, into: &batch)
        }
        let others = enclosing + PositionList.enclosing(members)
        for element in list.value.array ?? [] {
            read(element, others + (element.members ?? []), line, &sink, into: &batch)
        }
    }

    /// Reads the members of an object, and of the objects around it.
    private mutating func read(
        _ value: JSONValue, _ members: [JSONValue.Member], _ line: Int, _ sink: inout FixSink, into batch: inout FixBatch
    ) {
        var naming = defaultNaming
        var object: JSONReading
        if let record = ExportedRecord(members) {
            switch record {
            case .device(let id): exportedDevice = id
            case .other where exportedDevice != nil: break
            case .other:
                object = JSONReading(members, .own, attributes: &attributes)
                return deliver(object, members, naming, line, &sink, into: &batch)
            case .fix(let fix):
                object = ExportedRecord.reading(fix, of: exportedDevice, attributes: &attributes)
                return deliver(object, members, naming, line, &sink, into: &batch)
            }
            return acceptContent(sink, into: &batch)
        }
        if let type = value["_type"]?.string {
            acceptContent(sink, into: &batch)
            // A recording has only a few devices, so the tracker id can identify them.
            let topic = OwnTracksTopic.device(ofTopic: value["topic"]?.string, type: type)
            let tracker = topic == nil && isRecording ? value["tid"].flatMap(JSONReading.text) : nil
            let rest = tracker == nil ? members : members.filter { $0.name != "tid" }
            guard
                let location = OwnTracksLocation.reading(type: type, members: rest, of: topic ?? tracker, attributes: &attributes)
            else {
                return OwnTracksLocation.refuseEncrypted(type, line: line, &sink, into: &batch)
            }
            object = location
        } else if let nested = NestedPosition(members) {
            if nested.isFeature { batch.isOfOverland = true }
            object = JSONReading(nested.members, nested.keys, attributes: &attributes)
        } else if let positions = GoogleTimeline.positions(in: members) {
            acceptContent(sink, into: &batch)
            for position in positions {
                attributes.clear()
                object = JSONReading(position, .own, attributes: &attributes)
                deliver(object, members, .file, line, &sink, into: &batch)
            }
            return
        } else if JSONKeys.isOfTakeout(members) {
            object = JSONReading(members, .takeout, excluding: JSONKeys.unusedOfTakeout, attributes: &attributes)
            naming = .file
            if let phone = members.last(where: { $0.name == "deviceTag" }).flatMap({ JSONReading.text($0.value) }) {
                if phones.count < Self.maxNames { phones.insert(phone) }
                object.device = sink.name(ofPhone: phone)
            }
        } else {
            object = JSONReading(members, .own(for: members), attributes: &attributes)
        }
        deliver(object, members, naming, line, &sink, into: &batch)
    }

    /// Delivers a position, or refuses it.
    private mutating func deliver(
        _ object: JSONReading, _ members: [JSONValue.Member], _ naming: FixSink.DeviceNaming, _ line: Int, _ sink: inout FixSink,
        into batch: inout FixBatch
    ) {
        let isForeign = object.alarm == nil && ![.time, .latitude, .longitude].contains(where: object.hasRead)
        if !isForeign, !hasPositions { acceptContent(sink, into: &batch) }
        do throws(ReadingFlaw) {
            let device = try object.device?.withBytes { (name) throws(ReadingFlaw) in
                try sink.device(.named(0..<name.count), name, in: &batch)
            }
            let nobody: [UInt8] = []
            let number = if let device { device } else { try sink.device(naming, nobody.span, in: &batch) }
            try sink.deliver(object.reading, device: number, attributes: &attributes, line: line, into: &batch)
            batch.addAlarm(object, device: number < 0 ? nil : batch.deviceNames[Int(number)], fix: batch.rows.last?.fix)
        } catch {
            attributes.clear()
            batch.addAlarm(object, device: sink.options.device ?? Identifier.device(object.device), fix: nil)
            let source = object.source(of: error.field)
            let refusal = sink.refusal(
                error.kind, device: Identifier.device(object.device), line: line,
                field: source.name, value: source.value, reason: error.reason)
            if isForeign { refuseForeign(members, refusal, into: &batch) } else { batch.refusals.append(refusal) }
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
