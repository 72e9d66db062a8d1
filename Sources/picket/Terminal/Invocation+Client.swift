import Client
import Core
import Foundation
import Model
import Server
import ToolSupport

extension Invocation {
    /// The service that the options, the environment or `picket.conf` name; nil when they name none.
    ///
    /// - Parameter patience: Seconds until an answer must arrive.
    func namedService(patience: Double = ServiceConnection.longTimeout) throws(Problem) -> ServiceClient? {
        guard let address = ServiceAddress(try settings()) else { return nil }
        return try ServiceClient(address, patience: patience, in: language)
    }

    /// The API of the data directory in this process. Queries do not wait for another process that writes to the directory.
    private func localClient(locking isLocking: Bool = false) throws(Problem) -> ServiceClient {
        let api = try LocalAPI(
            directory, try settings(), command: command.name, version: Picket.version, locking: isLocking)
        if let care = api.care { printDirectoryCare(care) }
        return ServiceClient(api, of: directory, in: language)
    }

    /// The API for queries: of the service that is named, else of the one that works on the data directory, else of the directory itself.
    ///
    /// - Parameter patience: Seconds until an answer must arrive.
    /// - Throws: `Problem.fileFailed` when the directory has no store.
    func reader(patience: Double = ServiceConnection.longTimeout) throws(Problem) -> ServiceClient {
        if let service = try namedService(patience: patience) { return service }
        if let service = try ownService(patience: patience) { return service }
        try requireStore()
        return try localClient()
    }

    /// The API for changes: of the service that is named, else of the service that works on the data directory, else of the directory.
    ///
    /// - Throws: `Problem.storeBusy` if another process than a service keeps writing to the directory.
    func editor() throws(Problem) -> ServiceClient {
        switch try writingPlace({ () throws(Problem) in try localClient(locking: true) }) {
        case .here(let client), .service(let client): client
        }
    }

    /// Where a command writes.
    enum WritingPlace<Local> {
        /// In the data directory, which is locked for the command.
        case here(Local)
        /// In a running service.
        case service(ServiceClient)
    }

    /// Where to write: the service that is named, else the data directory, or the service that works on it.
    ///
    /// - Parameter open: Opens the data directory without waiting for another writer.
    /// - Throws: `Problem.storeBusy` if another process than a service keeps writing to the directory.
    func writingPlace<Local>(_ open: () throws(Problem) -> Local) throws(Problem) -> WritingPlace<Local> {
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
                        try ServiceClient(ServiceAddress(file), of: directory, in: language) { [directory] () throws(Problem) in
                            try ServiceFile(in: directory).map { ServiceAddress($0) }
                        })
                }
                guard waited < DirectoryLock.patience else { throw error }
                usleep(UInt32(step) * 1000)
                waited += step
            }
        }
    }

    /// The service that is named, else the one that works on the data directory; nil when none answers.
    func runningService() throws(Problem) -> ServiceClient? {
        if let service = try namedService() { return service }
        return try ownService(patience: ServiceConnection.longTimeout)
    }

    /// The service that works on the data directory; nil when none answers.
    private func ownService(patience: Double) throws(Problem) -> ServiceClient? {
        guard let file = try ServiceFile(in: directory) else { return nil }
        do throws(Problem) {
            _ = try ServiceConnection(ServiceAddress(file), patience: min(patience, Self.localTimeout), in: language)
                .send("GET", ["problems"], query: [("limit", "1")])
        } catch {
            // A service that was killed leaves its file behind, and its port may belong to another program in the meantime.
            if !error.concernsStore { return nil }
        }
        return try ServiceClient(ServiceAddress(file), of: directory, patience: patience, in: language)
    }

    /// Seconds to wait for a first answer of a service on this machine. The wait is short, because the data directory has nearly the same
    /// information.
    private static let localTimeout = 10.0

    /// The API for a command that asks again and again; see `FollowedAPI`.
    func followedAPI() throws(Problem) -> FollowedAPI {
        FollowedAPI(client: try reader(patience: ServiceConnection.shortTimeout), invocation: self)
    }

    /// Throws `Problem.usage` when the settings name a service, for commands that work on the data directory itself.
    func refuseNamedService() throws(Problem) {
        guard let server = try settings().server else { return }
        throw command.problem(withServer: server)
    }
}

/// The API for a command that keeps running. A service that works on the data directory may start, stop and start again elsewhere meanwhile.
final class FollowedAPI {
    private var known: ServiceClient
    private let invocation: Invocation

    init(client: ServiceClient, invocation: Invocation) {
        known = client
        self.invocation = invocation
    }

    /// Whether a service answered the last request.
    var isRunning: Bool { known.isRunning }

    /// The API to ask now: of the service that is named, else of the one that works on the data directory now, else of the directory.
    func client() throws(Problem) -> ServiceClient {
        if try invocation.settings().server != nil { return known }
        let file = try ServiceFile(in: invocation.directory)
        if file.map({ ServiceAddress($0) }) != known.address {
            known = try invocation.reader(patience: ServiceConnection.shortTimeout)
        }
        return known
    }
}
