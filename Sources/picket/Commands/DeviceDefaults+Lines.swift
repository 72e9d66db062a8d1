import Core
import Model
import ToolSupport

extension DeviceDefaults {
    /// Lines for people with the values that are set.
    var lines: [Phrase] { Self.fields.compactMap { field in field.isSet(self) ? field.line(self) : nil } }
}

extension Device {
    /// Lines for people with the values that apply to the device, each with its source.
    var defaultLines: [Phrase] {
        let applied = applied
        return DeviceDefaults.fields.compactMap { field in
            field.line(applied).map { line in
                field.isSet(own) ? Phrase("\(line), its own") : Self.line(line, from: inherited.source(of: field.name))
            }
        }
    }

    private static func line(_ line: Phrase, from source: InheritedDefaults.Source?) -> Phrase {
        switch source {
        case nil: Phrase("\(line), by default")
        case .setting: Phrase("\(line), from the settings")
        case .group(let name): Phrase("\(line), from the group '\(Format.printable(name))'")
        }
    }
}
