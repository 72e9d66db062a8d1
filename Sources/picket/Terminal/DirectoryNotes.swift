import Service

extension DirectoryCare {
    /// The repairs and warnings as sentences for a person.
    func lines(_ directory: DataDirectory) -> [String] {
        var lines: [String] = []
        let place = "'\(directory.path)'"
        if !removed.isEmpty { lines.append("Removed from \(place) what a killed command had left: \(Self.list(removed)).") }
        if !restrictedFiles.isEmpty {
            lines.append(
                "Others could use Picket's files in \(place), and cannot any more (mode 0600): \(Self.list(restrictedFiles)).")
        }
        if isDirectoryRestricted { lines.append("Others could look into \(place), and cannot any more (mode 0700).") }
        if !failed.isEmpty {
            lines.append(
                "Others can use Picket's files in \(place), and you may not change that: \(Self.list(failed)). Have their owner do it, with "
                    + "'chmod 600'.")
        }
        // Openness is reported only on first use or after a change.
        if hadNoStore || !restrictedFiles.isEmpty, let opennessReason {
            lines.append(Self.sentence(opennessReason, place: place))
        }
        return lines
    }

    private static func sentence(_ openness: OpennessReason, place: String) -> String {
        let advice = "Picket's files in it are for their owner alone. A separate directory is safer: --data DIR."
        return switch openness {
        case .shared(let name):
            "Others can look into \(place). It stays so, because it also holds '\(name)', which is not Picket's. \(advice)"
        case .common: "Others can look into \(place). It was not changed, because it is meant for many users. \(advice)"
        case .refused(let reason): "Others can look into \(place), and its mode cannot be changed: \(reason). \(advice)"
        }
    }

    private static func list(_ names: [String]) -> String {
        let most = 5
        return names.prefix(most).joined(separator: ", ") + (names.count > most ? " and \(names.count - most) more" : "")
    }
}
