import Foundation
import Model
import Service

/// Where a command does its work.
enum BackendLocator<Local> {
    /// On the data directory, which it has for itself.
    case here(Local)
    /// Through a service that runs.
    case service(RemoteService)
}

extension Invocation {
    /// The service that options, environment or `picket.conf` name; nil when they name none.
    ///
    /// - Parameter patience: Seconds for an answer.
    func namedService(patience: Double = ServiceConnection.longPatience) throws(Problem) -> RemoteService? {
        guard let address = ServiceAddress(try settings()) else { return nil }
        return try RemoteService(address, patience: patience)
    }

    /// Where to write: at the service that is named; else on the data directory; else, while a service works on that, through it.
    ///
    /// - Parameter open: Opens the data directory, waiting so many milliseconds for others that write.
    /// - Throws: `Problem.storeBusy` while something else writes to the directory.
    func workplace<Local>(
        _ open: (_ patience: Int) throws(Problem) -> Local
    ) throws(Problem) -> BackendLocator<Local> {
        if let service = try namedService() { return .service(service) }
        let step = 20
        var waited = 0
        while true {
            do throws(Problem) {
                return .here(try open(0))
            } catch {
                guard case .storeBusy(directory.path, let holder) = error else { throw error }
                // A service that was killed leaves its file, and another process may have its number by now.
                if let file = try ServiceFile(in: directory), holder.contains("(process \(file.process))") {
                    return .service(
                        try RemoteService(ServiceAddress(file)) { [directory] () throws(Problem) in
                            try ServiceFile(in: directory).map { ServiceAddress($0) }
                        })
                }
                guard waited < DirectoryLock.patience else { throw error }
                usleep(UInt32(step) * 1000)
                waited += step
            }
        }
    }

    /// What to change.
    ///
    /// - Parameter prepare: Called with the service, when it is one.
    func desk(_ prepare: (RemoteService) -> Void = { _ in }) throws(Problem) -> any CommandBackend {
        let workplace = try workplace { patience throws(Problem) in
            try ServiceWriter(directory, purpose: command.name, patience: patience)
        }
        switch workplace {
        case .here(let service):
            service.supportContact = try settings().supportContact
            return tellCare(service)
        case .service(let service):
            prepare(service)
            return service
        }
    }

    /// Sinks, to change them.
    func sinkDesk() throws(Problem) -> any SinkDesk {
        let workplace = try workplace { patience throws(Problem) in
            try ServiceWriter(directory, purpose: command.name, patience: patience)
        }
        switch workplace {
        case .here(let service): return tellCare(service)
        case .service(let service): return service
        }
    }

    /// The service that is named, else the one that works on the data directory; nil when none answers. It alone knows how
    /// connections are now, and that the store cannot be written.
    func runningService() throws(Problem) -> RemoteService? {
        if let service = try namedService() { return service }
        guard let file = try ServiceFile(in: directory) else { return nil }
        let service = try RemoteService(ServiceAddress(file), patience: Self.patience)
        do throws(Problem) {
            _ = try service.connection.ask("GET", ["problems"], query: [("limit", "1")])
            return service
        } catch {
            // A service that was killed leaves its file, and another program may have its number or its port by now.
            return error.isOfStore ? service : nil
        }
    }

    /// Seconds that a service on this machine is waited for, where the data directory tells nearly as much.
    private static let patience = 10.0

    /// Sinks, to read them.
    func sinkArchive() throws(Problem) -> any SinkArchive {
        if let service = try runningService() { return service }
        return try readingService()
    }

    /// What to read where a running service knows more than the data directory does.
    func liveArchive() throws(Problem) -> any QueryBackend {
        if let service = try runningService() { return service }
        return try readingService()
    }

    /// Rules, to change them.
    func ruleDesk() throws(Problem) -> any RuleDesk {
        let workplace = try workplace { patience throws(Problem) in
            try ServiceWriter(directory, purpose: command.name, patience: patience)
        }
        switch workplace {
        case .here(let service): return tellCare(service)
        case .service(let service): return service
        }
    }

    /// Rules, to read them.
    func ruleArchive() throws(Problem) -> any RuleArchive {
        if let service = try namedService() { return service }
        return try readingService()
    }

    /// What to read: the service that is named, else the data directory, beside whoever writes to it.
    func archive() throws(Problem) -> any QueryBackend {
        if let service = try namedService() { return service }
        return try readingService()
    }

    /// Makes sure that no service elsewhere is meant: this command works on the data directory itself.
    func refuseNamedService() throws(Problem) {
        guard let server = try settings().server else { return }
        throw .usage(
            reason: "'picket \(command.name)' works on a data directory itself and cannot ask \(server). Run it on that machine, "
                + "without the setting 'server'", help: "picket config")
    }
}
