import Core
import Foundation
import HTTPServer
import Model
import Notifications
import Observability
import Operations
import Places
import Presence
import Registrations
import Secrets
import Senders
import Service
import Settings
import Synchronization
import Workers

/// The running service: the store's writer and readers behind HTTP.
package final class Server: Sendable {
    /// The URL on which the service listens, such as `http://127.0.0.1:7575`.
    package let url: String
    private let directory: DataDirectory
    private let clock: any WallClock
    private let store: StoreThreads
    let api: API
    private let delivery: DeliveryRunner
    /// Nil when the network cannot be watched.
    private let network: NetworkWatcher?
    private let socket: ListeningSocket
    private let tls: ServerCertificate?
    private let limits: HTTPDaemon.Limits
    /// Nil before `start`.
    private let currentDaemon = Mutex<HTTPDaemon?>(nil)
    private let ticker: WorkThreads
    private let stopping = Stopping()
    private let repairs: Task<Void, Never>
    /// The token of commands on this machine.
    private let ownSecret = Secret.token()

    private let log: Log

    /// Seconds for which a replaced server waits for answers in progress before it waits again.
    private static let drainTimeout = 10.0
    /// Seconds after the beginning of `stop()` at which answers that are not sent completely are cut.
    private static let stopTime = 4.5

    /// Opens the data directory and reserves the address. The service answers over connections after `start()`.
    ///
    /// - Throws: `Problem.storeBusy` while another process writes to the directory; the problems of opening a store; `.validationFailed`
    ///   for an address on which the service cannot listen, or which others can reach while no token exists; `.validationFailed` or
    ///   `.fileFailed` for an unusable certificate and key.
    ///
    /// - Parameters:
    ///   - version: The version of Picket.
    ///   - dashboard: The folder of the dashboard's files; nil for no dashboard.
    ///   - socket: The socket to listen on instead of the address in the settings; nil for that address.
    package init(
        _ settings: Settings, version: String, dashboard: String?, clock: any WallClock = ServiceClock(),
        log: Log? = nil, socket: ListeningSocket? = nil
    ) throws(Problem) {
        let descriptors = DescriptorLimit.current
        try descriptors.check()
        directory = DataDirectory(path: settings.dataDirectory)
        let clock = ServiceClock.of(clock)
        self.clock = clock
        let log = if let log { log } else { try Self.openLog(settings, clock: clock) }
        self.log = log
        tls = try ServerCertificate(settings)
        // Others can connect after `start()`, so that a start that fails has not answered any request.
        let settings = socket.map { settings.listening(at: ListenAddress(host: $0.host, port: $0.port)) } ?? settings
        let socket =
            if let socket { socket } else { try ListeningSocket(host: settings.listen.host, port: settings.listen.port) }
        let address = ListenAddress(host: socket.host, port: socket.port)
        url = "\(tls == nil ? "http" : "https")://\(address)"
        let (events, inbox) = (EventLog(), DeliveryInbox())
        let metrics = Metrics(version: version, startedAt: clock.now())
        let streams = Streams(dropped: metrics.slowReaders)
        let diagnostics = Diagnostics(
            metrics, log: log,
            storeProblem: StoreProblem(clock: clock, contact: settings.supportContact) { streams.sendNotices([$0]) })
        store = try StoreThreads(
            directory, settings, clock: clock, storeProblem: diagnostics.storeProblem,
            observer: .init(events, inbox, streams, diagnostics))
        diagnostics.jobs.begin(store.writer)
        log.logMaintenance(store.writer.care, in: directory)
        if let outcome = store.writer.erasureOutcome { try Self.logErasure(outcome, copies: directory.copies(), log) }
        let stored = try StoredAccess(ServiceReader(directory, clock: clock))
        if let problem = stored.accessList.problem(with: settings) { throw problem }
        events.setNewest(stored.identity.newest)
        metrics.setStore(stored.identity.id, epoch: stored.identity.epoch, newest: stored.identity.newest)
        let phones = OwnTracksPhones()
        let repairCoordinator = Self.repairCoordinator(store, phones, streams, log, clock: clock)
        let broker = BrokerIntake(
            store.writer, clientID: stored.mqttClientID, clock: clock, metrics: metrics, log: log, phones: phones)
        delivery = DeliveryRunner(
            directory, inbox: inbox, writer: store.writer, readers: store.heavyReaders,
            senders: try Senders(.init(allowsPrivate: settings.allowsPrivateSinks), now: { clock.now() }),
            newest: stored.identity.newest, clock: clock,
            observer: .init(streams, metrics, log, contact: settings.supportContact),
            links: Self.alarmLinks(settings, url, secret: stored.storeSecret))
        metrics.setSinks(of: delivery)
        network = Self.watchNetwork(inbox, broker, log)
        api = API(
            store, stored, events: events, streams: streams, diagnostics: diagnostics, delivery: delivery, broker: broker,
            repairCoordinator: repairCoordinator,
            site: ServiceSite(
                url: url, address: address, isEncrypted: tls != nil, version: version, ownSecret: ownSecret,
                dashboard: DashboardFiles(folder: dashboard)))
        api.acceptTokens(of: stored.accessList)
        var limits = HTTPDaemon.Limits(
            connections: settings.maxConnections, connectionsPerAddress: settings.maxConnectionsPerAddress,
            trustedProxies: settings.trustedProxies, budget: MemoryBudget(largestBody: settings.maxBody))
        limits.fitConnections(in: descriptors.forConnections)
        self.limits = limits
        self.socket = socket
        repairs = Self.repair(store.writer, repairCoordinator, clock, interval: settings.autoRepairInterval, diagnostics)
        let housekeeping = Housekeeping(api, directory, keepPositions: settings.keepPositions)
        let stopping = stopping
        ticker = WorkThreads("picket ticker") { while !stopping.wait(seconds: 1) { housekeeping.tick() } }
        broker.apply(settings.mqtt, log: log)
        if let problem = settings.transportProblem { log.logProblem(problem, "transport", level: .warning) }
        Self.logInvalidDates(of: tls, at: clock.now(), log: log)
    }

    /// Creates the coordinator of repairs, which continues a repair when a phone with OwnTracks has sent its list.
    private static func repairCoordinator(
        _ store: StoreThreads, _ phones: OwnTracksPhones, _ streams: Streams, _ log: Log, clock: any WallClock
    ) -> RepairCoordinator {
        let coordinator = RepairCoordinator(store.writer, readers: store.heavyReaders, clock: clock, phones: phones) {
            streams.sendNotices([$0])
        }
        phones.use { [weak coordinator] device in
            Task { [weak coordinator] in
                do {
                    try await coordinator?.resume(device)
                } catch {
                    log.logProblem(error as? Problem ?? .unknown(details: .verbatim(String(describing: error))), "repair")
                }
            }
        }
        return coordinator
    }

    /// Writes the file by which commands on this machine find the service, and accepts connections. A start that fails has accepted none.
    ///
    /// - Throws: `Problem.tlsFailed` when libmicrohttpd cannot use the certificate or the key; `.validationFailed` when another process
    ///   listens at the address; `.fileFailed`.
    package func start() throws(Problem) {
        let daemon = HTTPDaemon(limits, responder: api)
        let file = ServiceFile(url: url, token: ownSecret, process: getpid(), authorities: tls?.chain)
        try file.write(to: directory)
        do throws(Problem) {
            try socket.listen()
            try daemon.start(socket, tls: tls)
        } catch {
            ServiceFile.remove(from: directory)
            throw error
        }
        currentDaemon.withLock { $0 = daemon }
        if !api.site.dashboard.isFound { log.logProblem(InstalledFiles.dashboardProblem, "dashboard", level: .warning) }
        if limits.connections < api.store.settings.maxConnections {
            log.warning(
                "connections", "The limit of open files allows fewer connections than 'max-connections'.",
                fields: [.number("connections", limits.connections), .number("files", DescriptorLimit.current.count)])
        }
        log.info(
            "started", "The service is listening.",
            fields: [
                .text("address", url), .text("durability", api.store.settings.durability.rawValue),
                .text("version", api.site.version),
                .flag("open", api.authenticator.isOpen), .number("recovered", store.writer.recovery.inputs),
                .seconds("recovery", store.writer.recovery.seconds),
            ])
    }

    /// The result of the recovery when the store was opened.
    package var recovery: Recovery { store.writer.recovery }

    /// The URLs of a service that listens on all addresses, in the networks of this machine. Empty for another service, or if the settings
    /// say at which address others reach it.
    package var networkAddresses: [String] {
        let settings = store.settings
        guard ["0.0.0.0", "::"].contains(settings.listen.host), settings.publicURL == nil else { return [] }
        return PhoneAddress.ownAddresses().map { host in
            "\(tls == nil ? "http" : "https")://\(ListenAddress(host: host, port: api.site.address.port))"
        }
    }

    /// The versions of the system and of the linked libraries.
    package static var libraryVersions: [LibraryVersions.Version] {
        LibraryVersions.all + ownLibraries
    }

    /// The versions of the libraries that only the HTTP server uses.
    static var ownLibraries: [LibraryVersions.Version] { HTTPDaemon.libraryVersions }

    /// The links in alarm messages, if others can reach the service: at the address in the settings, else at the service's own address
    /// unless that is only valid on this machine.
    private static func alarmLinks(_ settings: Settings, _ url: String, secret: String) -> AlarmLinks? {
        let host = settings.listen.host
        let isAddress = !settings.listen.isLoopback && host != "0.0.0.0" && host != "::"
        guard let address = settings.publicURL ?? (isAddress ? url : nil) else { return nil }
        return AlarmLinks(address: address, secret: secret)
    }

    /// Logs an error when clients reject the certificate because of its dates. The service runs nevertheless: commands on this machine do
    /// not check the dates, and the clock may be wrong until the network is available.
    private static func logInvalidDates(of certificate: ServerCertificate?, at now: Instant, log: Log) {
        guard let certificate, certificate.problem(at: now) != nil else { return }
        log.error(
            "certificate", "The certificate is currently not valid, so clients refuse the service. Renew it, then send SIGHUP.",
            fields: [
                .text("validFrom", certificate.validity.lowerBound.description),
                .text("validUntil", certificate.validity.upperBound.description),
            ])
    }

    /// Logs how erasures ended that were interrupted before this start, and which files may still contain the erased devices.
    private static func logErasure(_ outcome: Result<Bool, Problem>, copies: [String], _ log: Log) {
        switch outcome {
        case .success(true): log.info("erasure", "An interrupted erasure was finished.")
        case .success(false): log.warning("erasure", "An erasure is not finished, because another process is reading the store.")
        case .failure(let problem): log.logProblem(problem, "erasure")
        }
        guard !copies.isEmpty else { return }
        log.warning(
            "erasure", "These copies may still contain the erased device.",
            fields: [.text("files", copies.joined(separator: ", "))])
    }

    /// Reloads what can change while the service runs: tokens, the log level, the MQTT broker and the certificate. Requests in progress
    /// continue; streams are closed so that clients reconnect.
    ///
    /// - Throws: Among others, `.validationFailed` for an unusable certificate; then the previous one stays in use.
    package func reload(_ settings: Settings) throws(Problem) {
        try admitTokens()
        // Closes all streams, so that clients reconnect with their new permissions. They resume where they were.
        api.endOpenStreams()
        log.setLevel(settings.logLevel)
        api.broker.apply(settings.mqtt, log: log)
        if let tls = try ServerCertificate(settings) { try useCertificate(tls) }
        log.info("reloaded", "Tokens, log level, broker and certificate were reloaded.")
    }

    /// Accepts connections with a new certificate. Requests in progress continue with the old one.
    ///
    /// - Throws: `Problem.tlsFailed` for an unusable certificate; then the previous one stays in use.
    private func useCertificate(_ tls: ServerCertificate) throws(Problem) {
        Self.logInvalidDates(of: tls, at: clock.now(), log: log)
        let daemon = HTTPDaemon(limits, responder: api)
        // The new server accepts connections before the old one stops to do so.
        try daemon.start(socket, tls: tls)
        let old = currentDaemon.withLock { front in
            defer { front = daemon }
            return front
        }
        old?.close()
        // Closes streams that have reconnected to the old server meanwhile.
        api.endOpenStreams()
        api.waiters.renew()
        if let old {
            _ = WorkThreads("picket drain") {
                // Stopping the old server while a request is suspended would abort the process.
                while !old.drain(seconds: Self.drainTimeout) {}
                old.stop()
            }
        }
        try ServiceFile(url: url, token: ownSecret, process: getpid(), authorities: tls.chain).write(to: directory)
    }

    private static func openLog(_ settings: Settings, clock: any WallClock) throws(Problem) -> Log {
        guard let path = settings.logFile else {
            return Log(level: settings.logLevel, format: settings.logFormat, clock: clock)
        }
        return try Log(level: settings.logLevel, format: settings.logFormat, path: path, clock: clock)
    }

    /// Waits until the log is written; see `Log.flush(within:)`.
    package func flushLog() { log.flush() }

    /// Opens the file of the log again; see `Log.reopen()`.
    package func reopenLog() throws(Problem) { try log.reopen() }

    /// Whether the writer and the readers answer within `seconds`.
    package func answers(within seconds: Double) -> Bool {
        let answered = DispatchGroup()
        answered.enter()
        if !store.writer.submit({ _ in }, { _ in answered.leave() }) { answered.leave() }
        answered.enter()
        // A store that cannot be read is no reason to restart, so a failure counts as an answer.
        if !store.readers.submit({ _ in }, { (_: Result<Void, Problem>) in answered.leave() }) { answered.leave() }
        return answered.wait(timeout: .now() + seconds) == .success
    }

    /// Accepts the tokens in the store. The writer reads them, so that an older list cannot replace a newer one.
    private func admitTokens() throws(Problem) {
        let api = api
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex(Result<Void, Problem>.failure(.cancelled))
        let isTaken = store.writer.submit({ service throws(Problem) in api.acceptTokens(of: try service.accessList()) }) {
            result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        if isTaken { done.wait() }
        try outcome.withLock { $0 }.get()
    }

    /// Finishes the accepted work, and stops.
    package func stop() {
        log.info("stopping", "The service is stopping, and finishes what it has accepted.")
        let start = ContinuousClock.now
        ServiceFile.remove(from: directory)
        stopping.stop()
        ticker.join()
        repairs.cancel()
        let daemon = currentDaemon.withLock { $0 }
        daemon?.close()
        api.streams.end()
        api.waiters.end()
        api.geocoder?.stop()
        api.backgroundTasks.end()
        api.scheduledBackups.stop()
        network?.stop()
        // These stop while the writer still runs, so that what has arrived and what was sent is recorded.
        api.broker.stop()
        delivery.stop()
        store.stopReaders()
        api.diagnostics.jobs.end()
        api.storeTokenUses(atEnd: true)
        store.writer.stop()
        if let daemon {
            daemon.drain(seconds: max(2, Self.stopTime - (ContinuousClock.now - start).seconds))
            daemon.stop()
        }
        socket.close()
        log.info("stopped", "The service has stopped.")
        log.writeAllSummaries()
    }

    /// Retries waiting sinks and the broker as soon as the machine's network is back. Without this, they are retried up to half a minute
    /// later.
    private static func watchNetwork(_ inbox: DeliveryInbox, _ broker: BrokerIntake, _ log: Log) -> NetworkWatcher? {
        do throws(Problem) {
            return try NetworkWatcher {
                inbox.networkReturned()
                broker.networkReturned()
            }
        } catch {
            log.logProblem(error, "network")
            return nil
        }
    }

    private static func repair(
        _ writer: Writer, _ repairCoordinator: RepairCoordinator, _ clock: any WallClock, interval: Double?,
        _ diagnostics: Diagnostics
    ) -> Task<Void, Never> {
        guard let interval else { return Task {} }
        let (metrics, log, jobs) = (diagnostics.metrics, diagnostics.log, diagnostics.jobs)
        var pace = RepairSchedule.Limits()
        pace.interval = interval
        let repair = AutoRepair(writer, repairCoordinator: repairCoordinator, pace: pace, clock: clock)
        return Task {
            await repair.run(pause: { try await Task.sleep(for: .seconds(1)) }) { news in
                switch news {
                case .repaired(let report):
                    metrics.repairs.add(report.isComplete ? .done : .failed)
                    log.info(
                        "repaired", "Registrations were repaired.",
                        fields: [.number("calls", report.callCount), .number("left", report.remainingFindings.count)])
                case .failed(_, let problem):
                    metrics.repairs.add(.failed)
                    log.logProblem(problem, "repair")
                case .devicesRead: jobs.recordEnd(of: .repair)
                case .storeFailed(let problem): jobs.recordEnd(of: .repair, problem: problem)
                }
            }
        }
    }
}

extension Writer.Observer {
    /// Publishes what the writer does to streams, sinks, metrics and the log.
    fileprivate init(
        _ followers: EventLog, _ inbox: DeliveryInbox, _ streams: Streams, _ diagnostics: Diagnostics
    ) {
        self.init()
        let (metrics, log, storeProblem) = (diagnostics.metrics, diagnostics.log, diagnostics.storeProblem)
        let eventsSaved = { @Sendable (newest: Int64) in
            inbox.eventsCommitted(upTo: newest)
            metrics.newestEvent.set(Int(newest))
        }
        events = { events in
            followers.publish(events)
            metrics.countEvents(events)
            if let last = events.last { eventsSaved(last.sequence) }
        }
        followsDevices = { streams.followsDevices }
        positionsSaved = { moved in
            inbox.positionsCommitted()
            if !moved.isEmpty { streams.sendPositions(moved) }
        }
        group = { group in
            var counts = IntakeCounts()
            for result in group.results {
                counts.add(result.counts)
                if !result.refusals.isEmpty {
                    metrics.countRefusals(result.refusals)
                    log.logRefusals(result.refusals)
                }
            }
            metrics.ingestRequests.add(group.results.count)
            metrics.countIntake(counts, newest: group.newest)
            metrics.commitTime.observe(group.seconds)
            metrics.groupFixes.observe(Double(counts.accepted))
            metrics.groupRequests.observe(Double(group.results.count))
        }
        removed = { inbox.dataRemoved($0) }
        notices = { streams.sendNotices($0) }
        storeFailed = { problem in
            log.logProblem(problem, "store")
            storeProblem.recordFailure(problem)
        }
        storeWritten = {
            guard let ended = storeProblem.resolve() else { return }
            log.info(
                "store", "The store can be written again.", reason: ended.code,
                fields: [.text("since", ended.firstAt.description), .number("failures", ended.failures)])
        }
        sync = { metrics.syncTime.observe($0) }
        recovered = { newest in
            followers.advance(to: newest)
            eventsSaved(newest)
        }
        problem = { log.logProblem($0, "writer") }
    }
}

extension DeliveryObserver {
    /// Publishes what the delivery does to metrics, streams and the log.
    fileprivate init(_ streams: Streams, _ metrics: Metrics, _ log: Log, contact: SupportContact?) {
        self.init()
        sent = { _, outcome in metrics.countDelivery(outcome) }
        changed = { sink, status in
            streams.sendNotices([ServiceNotice(sink, status, contact: contact)])
            let fields: [LogField] = [.text("sink", sink.id), .text("state", status.state.name.rawValue)]
            // Details are not logged, because an answer may repeat what it was sent, including positions.
            if let problem = status.problem {
                log.warning("sink", "A sink does not accept messages.", reason: problem.code, fields: fields)
            } else {
                log.info(
                    "sink", "A sink accepts messages again, or was paused.", reason: status.state.name.rawValue, fields: fields)
            }
        }
        problem = { log.logProblem($0, "delivery") }
    }
}
