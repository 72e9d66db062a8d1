import Core
import Foundation
import History
import Model
import Notifications
import Places
import Registrations
import Service
import ToolSupport

/// The backend that a command uses: the data directory itself or a running service.
enum BackendLocator<Local> {
    /// On the data directory, which is locked for the command.
    case here(Local)
    /// Through a running service.
    case service(RemoteService)
}

extension Invocation {
    /// The service that the options, the environment or `picket.conf` name; nil when they name none.
    ///
    /// - Parameter patience: Seconds until an answer must arrive.
    func namedService(patience: Double = ServiceConnection.longTimeout) throws(Problem) -> RemoteService? {
        guard let address = ServiceAddress(try settings()) else { return nil }
        return try RemoteService(address, patience: patience, in: language)
    }

    /// Where to write: the service that is named, else the data directory, or the service that works on it.
    ///
    /// - Parameter open: Opens the data directory without waiting for another writer.
    /// - Throws: `Problem.storeBusy` if another process than a service keeps writing to the directory.
    func locateBackend<Local>(_ open: () throws(Problem) -> Local) throws(Problem) -> BackendLocator<Local> {
        if let service = try namedService() { return .service(service) }
        let step = 20
        var waited = 0
        while true {
            do throws(Problem) {
                return .here(try open())
            } catch {
                guard case .storeBusy(directory.path, let holder) = error else { throw error }
                // A service that was killed leaves its file behind, so its process number is compared with that of the lock's holder.
                if let file = try ServiceFile(in: directory), case .process(_, Int(file.process)) = holder {
                    return .service(
                        try RemoteService(ServiceAddress(file), in: language) { [directory] () throws(Problem) in
                            try ServiceFile(in: directory).map { ServiceAddress($0) }
                        })
                }
                guard waited < DirectoryLock.patience else { throw error }
                usleep(UInt32(step) * 1000)
                waited += step
            }
        }
    }

    /// The backend for changes.
    ///
    /// - Parameter prepare: Called with the service, if the backend is one.
    func commandBackend(
        _ prepare: (RemoteService) -> Void = { _ in }
    ) throws(Problem) -> any CommandBackend & SinkCommandBackend & RegistrationCommandBackend & HistoryCommandBackend {
        let workplace = try locateBackend { () throws(Problem) in
            try ServiceWriter(directory, purpose: command.name, patience: 0)
        }
        switch workplace {
        case .here(let service):
            service.supportContact = try settings().supportContact
            return reportDirectoryCare(of: service)
        case .service(let service):
            prepare(service)
            return service
        }
    }

    /// The service that is named, else the one that works on the data directory; nil when none answers. Only the service knows the current
    /// state of its connections, and whether the store can be written.
    func runningService() throws(Problem) -> RemoteService? {
        if let service = try namedService() { return service }
        guard let file = try ServiceFile(in: directory) else { return nil }
        let service = try RemoteService(ServiceAddress(file), patience: Self.localTimeout, in: language)
        do throws(Problem) {
            _ = try service.connection.send("GET", ["problems"], query: [("limit", "1")])
            return service
        } catch {
            // A service that was killed leaves its file behind, and its port may belong to another program in the meantime.
            return error.concernsStore ? service : nil
        }
    }

    /// Seconds to wait for a service on this machine. The wait is short, because the data directory has nearly the same information.
    private static let localTimeout = 10.0

    /// The backend for reading what a running service knows better than the data directory: that service, else the data directory.
    func liveQueryBackend() throws(Problem) -> any QueryBackend & SinkQueryBackend {
        if let service = try runningService() { return service }
        return try readingService()
    }

    /// The backend for queries: the service that is named, else the data directory, which can be read while another process writes to it.
    func queryBackend() throws(Problem) -> any HistoryQueryBackend & RegistrationQueryBackend {
        if let service = try namedService() { return service }
        return try readingService()
    }

    /// Throws `Problem.usage` when the settings name a service, for commands that work on the data directory itself.
    func refuseNamedService() throws(Problem) {
        guard let server = try settings().server else { return }
        throw command.problem(withServer: server)
    }
}
