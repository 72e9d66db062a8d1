import Service

extension DirectoryCare {
    /// The repairs and warnings as sentences for a person.
    func lines(_ directory: DataDirectory) -> [String] {
        var lines: [String] = []
        let place = "'\(directory.path)'"
        if !removed.isEmpty { lines.append("Removed incomplete files of a killed command from \(place): \(Self.list(removed)).") }
        if !restrictedFiles.isEmpty {
            lines.append(
                "Other users could access Picket's files in \(place). Now only their owner can (mode 0600): \(Self.list(restrictedFiles))."
            )
        }
        if isDirectoryRestricted { lines.append("Other users could look into \(place). Now only its owner can (mode 0700).") }
        if !failed.isEmpty {
            lines.append(
                "Other users can access Picket's files in \(place), and you may not change that: \(Self.list(failed)). Ask their owner to run "
                    + "'chmod 600'.")
        }
        // Openness is reported only on first use or after a change.
        if hadNoStore || !restrictedFiles.isEmpty, let opennessReason {
            lines.append(Self.sentence(opennessReason, place: place))
        }
        return lines
    }

    private static func sentence(_ openness: OpennessReason, place: String) -> String {
        let advice = "Picket's files in it are readable only by their owner. A separate directory is safer: --data DIR."
        return switch openness {
        case .shared(let name):
            "Other users can look into \(place). It was not changed, because it also contains '\(name)', which is not Picket's. \(advice)"
        case .common: "Other users can look into \(place). It was not changed, because it is meant for many users. \(advice)"
        case .refused(let reason): "Other users can look into \(place), and its mode cannot be changed: \(reason). \(advice)"
        }
    }

    private static func list(_ names: [String]) -> String {
        let most = 5
        return names.prefix(most).joined(separator: ", ") + (names.count > most ? " and \(names.count - most) more" : "")
    }
}
