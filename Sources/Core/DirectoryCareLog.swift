import Observability
import Store

extension Log {
    /// Logs the maintenance that was done in a data directory.
    package func logMaintenance(_ care: DirectoryCare, in directory: DataDirectory) {
        let place = LogField.text("directory", directory.path)
        func names(_ names: [String]) -> LogField { .text("files", names.joined(separator: " ")) }
        if !care.removed.isEmpty {
            info(
                "leftovers", "Incomplete files of a killed process were removed.", fields: [place, names(care.removed)])
        }
        if !care.restrictedFiles.isEmpty {
            warning(
                "permissions", "Other users could access files of the store. Now only their owner can.", reason: "files",
                fields: [place, names(care.restrictedFiles)])
        }
        if care.isDirectoryRestricted {
            warning(
                "permissions", "Other users could look into the data directory. Now only its owner can.", reason: "directory",
                fields: [place])
        }
        if !care.failed.isEmpty {
            warning(
                "permissions", "Other users can access files of the store, and that cannot be changed.", reason: "failed",
                fields: [place, names(care.failed)])
        }
        if let update = care.update {
            info(
                "update", "The store was updated to the schema of this version.",
                fields: [
                    place, .number("from", update.previousVersion), .number("to", PicketStore.newestVersion),
                    .text("copy", update.copy ?? "none: no room"),
                ])
        }
        switch care.opennessReason {
        case nil: break
        case .shared(let name)?:
            warning(
                "permissions", "Other users can look into the data directory. It was not changed, as it contains other files.",
                reason: "shared",
                fields: [place, .text("file", name)])
        case .common?:
            warning(
                "permissions", "Other users can look into the data directory. It was not changed, because it is for many users.",
                reason: "common",
                fields: [place])
        case .refused(let reason)?:
            warning(
                "permissions", "Other users can look into the data directory, and that cannot be changed.", reason: "refused",
                fields: [place, .text("details", reason)])
        }
    }
}
