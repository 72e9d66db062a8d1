import Model
import Service
import ToolSupport

/// Lines for people with the values that apply to a device or that a group has.
struct DefaultLines {
    let lines: [String]

    /// The values that apply to a device, each with its source.
    init(_ device: Device) {
        let applied = device.applied
        lines = DeviceDefaults.fields.compactMap { field in
            field.line(applied).map {
                $0 + (field.isSet(device.own) ? ", its own" : Self.text(device.inherited.sources[field.name]))
            }
        }
    }

    /// The values of a group.
    init(_ defaults: DeviceDefaults) {
        lines = DeviceDefaults.fields.compactMap { field in field.isSet(defaults) ? field.line(defaults) : nil }
    }

    private static func text(_ source: InheritedDefaults.Source?) -> String {
        switch source {
        case nil: ", by default"
        case .setting: ", from the settings"
        case .group(let name): ", from the group '\(Format.printable(name))'"
        }
    }
}
