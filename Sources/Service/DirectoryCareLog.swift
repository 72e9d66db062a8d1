import Model
import Observability

extension Log {
    /// Logs the maintenance that was done in a data directory.
    package func logMaintenance(_ care: DirectoryCare, in directory: DataDirectory) {
        let place = LogField.text("directory", directory.path)
        func names(_ names: [String]) -> LogField { .text("files", names.joined(separator: " ")) }
        if !care.removed.isEmpty {
            info(
                "leftovers", "Files that a killed process had left half done were removed.", fields: [place, names(care.removed)])
        }
        if !care.restrictedFiles.isEmpty {
            warning(
                "permissions", "Others could use files of the store; these are for their owner alone now.", reason: "files",
                fields: [place, names(care.restrictedFiles)])
        }
        if care.isDirectoryRestricted {
            warning(
                "permissions", "Others could look into the data directory; it is for its owner alone now.", reason: "directory",
                fields: [place])
        }
        if !care.failed.isEmpty {
            warning(
                "permissions", "Others can use files of the store, and that cannot be changed.", reason: "failed",
                fields: [place, names(care.failed)])
        }
        switch care.opennessReason {
        case nil: break
        case .shared(let name)?:
            warning(
                "permissions", "Others can look into the data directory. It stays so, because it holds other files, too.",
                reason: "shared",
                fields: [place, .text("file", name)])
        case .common?:
            warning(
                "permissions", "Other users can look into the data directory. It was not changed, because it is meant for many users.",
                reason: "common",
                fields: [place])
        case .refused(let reason)?:
            warning(
                "permissions", "Others can look into the data directory, and that cannot be changed.", reason: "refused",
                fields: [place, .text("details", reason)])
        }
    }
}
