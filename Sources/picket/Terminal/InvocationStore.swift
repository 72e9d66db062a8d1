import Core
import Foundation
import Model
import Places
import Settings
import ToolSupport

extension Invocation {
    /// Opens the store of the data directory for writing, for commands that no running service can perform.
    func writingService() throws(Problem) -> ServiceWriter {
        try refuseNamedService()
        return reportDirectoryCare(of: try ServiceWriter(directory, purpose: command.name))
    }

    /// Opens the store of the data directory for reading.
    ///
    /// - Throws: `Problem.fileFailed` when there is none.
    func readingService() throws(Problem) -> ServiceReader {
        try refuseNamedService()
        try requireStore()
        let service = try ServiceReader(directory)
        let settings = try settings()
        service.appReportMaxAge = settings.appReportMaxAge
        service.supportContact = settings.supportContact
        return service
    }

    /// Says on standard error if the command works on the data of the package's service, which neither the command line nor the
    /// environment names.
    func noteDirectoryOfPackage() {
        if case .needsNoService = command.noServer { return }
        guard !has("--data"), !has("--server"), directory == .ofPackage, directory.path != environment["PICKET_DATA"] else {
            return
        }
        let notes = Output(descriptor: STDERR_FILENO, environment: environment)
        let path = Format.printable(directory.path)
        notes.print(
            text(
                access(directory.path, R_OK | X_OK) == 0
                    ? Phrase("Note: this is the data of the installed service, in \(path).")
                    : Phrase(
                        "Note: the installed service has its data in \(path), which you may not read. Use sudo, or --data for other data."
                    )))
        notes.flush()
    }

    /// Throws if the data directory has no store, for queries.
    func requireStore() throws(Problem) {
        if try directory.hasStore() { return }
        throw .fileFailed(
            path: directory.path,
            reason: Phrase(
                """
                it has no store. 'picket serve', 'picket feed' and 'picket geofence add' create one; --data names another directory
                """))
    }

    /// Reports on standard error what was repaired in the data directory.
    func reportDirectoryCare<Service: Queries>(of service: Service) -> Service {
        if let care = service.care { printDirectoryCare(care) }
        return service
    }

    func printDirectoryCare(_ care: DirectoryCare) {
        let notes = Output(descriptor: STDERR_FILENO, environment: environment)
        for line in care.lines(directory) { notes.print(Format.printable(text(line), atMost: 2000)) }
    }
}
