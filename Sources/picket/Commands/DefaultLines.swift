import Model
import Service
import ToolSupport

/// Lines for people with the values that apply to a device or that a group has.
struct DefaultLines {
    let lines: [Phrase]

    /// The values that apply to a device, each with its source.
    init(_ device: Device) {
        let applied = device.applied
        lines = DeviceDefaults.fields.compactMap { field in
            field.line(applied).map { line in
                field.isSet(device.own)
                    ? Phrase("\(line), its own") : Self.line(line, from: device.inherited.source(of: field.name))
            }
        }
    }

    /// The values of a group.
    init(_ defaults: DeviceDefaults) {
        lines = DeviceDefaults.fields.compactMap { field in field.isSet(defaults) ? field.line(defaults) : nil }
    }

    private static func line(_ line: Phrase, from source: InheritedDefaults.Source?) -> Phrase {
        switch source {
        case nil: Phrase("\(line), by default")
        case .setting: Phrase("\(line), from the settings")
        case .group(let name): Phrase("\(line), from the group '\(Format.printable(name))'")
        }
    }
}
