import Model

/// A line of a device's export: an object with one member, whose name says what it is. The first line is the device.
enum ExportedRecord {
    case device(String)
    /// The object of a position.
    case fix(JSONValue)
    /// Other data of the device.
    case other

    /// The record with these members; nil if the object is not a line of an export.
    init?(_ members: [JSONValue.Member]) {
        guard members.count == 1, let only = members.first, only.value.members != nil else { return nil }
        switch ExportedKind(rawValue: only.name) {
        case .device?:
            guard let id = only.value["id"]?.string else { return nil }
            self = .device(id)
        case .fix?: self = .fix(only.value)
        case nil where only.name != "summary": return nil
        default: self = .other
        }
    }

    /// The exported position with its attributes unchanged. The names of the attributes have no meaning here, because an alarm was already
    /// raised when the position arrived.
    static func reading(_ fix: JSONValue, of device: String?, attributes: inout AttributeWriter) -> JSONReading {
        let members = (fix.members ?? []).filter { $0.name != "attributes" }
        var object = JSONReading(members, .own, excluding: Set(members.map(\.name)), attributes: &attributes)
        object.device = object.device ?? device
        for member in fix["attributes"]?.members ?? [] { attributes.add(name: member.name, json: member.value.description) }
        return object
    }
}
