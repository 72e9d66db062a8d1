import Core
import Model

extension DirectoryCare {
    /// The repairs and warnings as sentences for a person.
    func lines(_ directory: DataDirectory) -> [Phrase] {
        var lines: [Phrase] = []
        let place = "'\(directory.path)'"
        if !removed.isEmpty {
            lines.append(Phrase("Removed incomplete files of a killed command from \(place): \(Self.list(removed))."))
        }
        if !restrictedFiles.isEmpty {
            lines.append(
                Phrase(
                    """
                    Other users could access Picket's files in \(place). Now only their owner can (mode 0600): \
                    \(Self.list(restrictedFiles)).
                    """))
        }
        if let update {
            lines.append(
                update.copy.map {
                    Phrase(
                        "Updated the store in \(place) to this version of Picket, after a trial on a copy. \($0) is the store as it was."
                    )
                } ?? Phrase("Updated the store in \(place) to this version of Picket. The disk had no room to keep a copy."))
        }
        if isDirectoryRestricted {
            lines.append(Phrase("Other users could look into \(place). Now only its owner can (mode 0700)."))
        }
        if !failed.isEmpty {
            lines.append(
                Phrase(
                    """
                    Other users can access Picket's files in \(place), and you may not change that: \(Self.list(failed)). Ask their \
                    owner to run 'chmod 600'.
                    """))
        }
        // Openness is reported only on first use or after a change.
        if hadNoStore || !restrictedFiles.isEmpty, let opennessReason {
            lines.append(Self.sentence(opennessReason, place: place))
        }
        return lines
    }

    private static func sentence(_ openness: OpennessReason, place: String) -> Phrase {
        let advice = Phrase(
            "Picket's files in it are readable only by their owner. A separate directory is safer: --data DIR.")
        return switch openness {
        case .shared(let name):
            Phrase(
                """
                Other users can look into \(place). It was not changed, because it also contains '\(name)', which is not Picket's. \
                \(advice)
                """)
        case .common:
            Phrase("Other users can look into \(place). It was not changed, because it is meant for many users. \(advice)")
        case .refused(let reason):
            Phrase("Other users can look into \(place), and its mode cannot be changed: \(reason). \(advice)")
        }
    }

    private static func list(_ names: [String]) -> Phrase {
        let most = 5
        let first = Phrase("\(list: Array(names.prefix(most)))")
        return names.count > most ? Phrase("\(first) and \(plain: names.count - most) more") : first
    }
}
