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

    /// Opens the store of the data directory for reading. It appears empty when it does not exist yet.
    func readingService() throws(Problem) -> ServiceReader {
        try refuseNamedService()
        let service = try ServiceReader(directory)
        let settings = try settings()
        service.appReportMaxAge = settings.appReportMaxAge
        service.supportContact = settings.supportContact
        return service
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
