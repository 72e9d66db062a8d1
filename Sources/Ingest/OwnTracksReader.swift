import Model

/// Reads the messages of one sender.
struct OwnTracksReader {
    let sender: OwnTracksSender
    private let options: DecodingOptions
    private var times: TimeResolver
    private var attributes = AttributeWriter()

    init(sender: OwnTracksSender, options: DecodingOptions) {
        self.sender = sender
        self.options = options
        times = TimeResolver(options)
    }

    /// Adds a location to the batch, and returns any other message.
    mutating func read(_ value: JSONValue, line: Int, into batch: inout FixBatch) -> OwnTracksMessage? {
        guard let members = value.members, let type = value["_type"]?.string else {
            batch.refusals.append(
                Refusal(
                    .malformed, device: sender.deviceId, line: line, field: "_type",
                    value: value["_type"]?.description ?? value.description,
                    reason: .expecting(
                        Phrase("it does not name the type of its message"),
                        Phrase("location, or another type that OwnTracks sends"))))
            return nil
        }
        attributes.clear()
        let name = sender.name(topic: value["topic"]?.string, type: type)
        guard let object = OwnTracksLocation.reading(type: type, members: members, of: name, attributes: &attributes) else {
            return OwnTracksMessage(
                type: type, device: Identifier.device(name),
                time: value["tst"].flatMap(JSONReading.text).flatMap { WrittenTime($0).exactMoment },
                data: type == OwnTracksMessage.MessageType.encrypted.rawValue ? value["data"]?.string : nil,
                json: value.description,
                line: line)
        }
        do throws(ReadingFlaw) {
            let device = Identifier.device(object.device)
            let time = try times.resolve(object.reading, device: device)
            let fix = try Fix(object.reading, at: time.moment, allowsNullIsland: options.allowsNullIsland)
            if object.device != nil, device == nil { throw .unreadable(.device) }
            batch.append(
                fix, at: time, device: device.map { batch.number(ofDevice: $0) } ?? -1, &attributes, line: line,
                isValid: object.reading.isValid)
            batch.addAlarm(object, device: device, fix: fix)
        } catch {
            batch.addAlarm(object, device: Identifier.device(object.device), fix: nil)
            let source = error.field == .device ? ("topic", object.device ?? "") : object.source(of: error.field)
            batch.refusals.append(
                Refusal(
                    error.kind, device: Identifier.device(object.device), line: line, field: source.0, value: source.1,
                    reason: error.reason(ofValue: source.1)))
        }
        return nil
    }
}
