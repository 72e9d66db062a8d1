import Foundation
import Model
import Synchronization

/// The metrics of a running service. Each service has one instance. All members can be used from any thread.
package final class Metrics: Sendable {
    package enum StatusClass: String, CaseIterable, Sendable {
        case informational = "1xx"
        case success = "2xx"
        case redirection = "3xx"
        case clientError = "4xx"
        case serverError = "5xx"

        /// - Parameter status: 100 to 599.
        package init(status: Int) {
            switch status {
            case ..<200: self = .informational
            case ..<300: self = .success
            case ..<400: self = .redirection
            case ..<500: self = .clientError
            default: self = .serverError
            }
        }
    }
    package enum SendOutcome: String, CaseIterable, Sendable {
        case delivered, retried
        case rejected = "parked"
        case paused
    }
    package enum RepairEnding: String, CaseIterable, Sendable { case done, failed }

    // Positions
    /// Fixes that were stored.
    package let acceptedFixes = Counter()
    /// Accepted fixes that were older than the newest fix of their device.
    package let lateFixes = Counter()
    package let duplicateFixes = Counter()
    /// Late fixes: `replays` counts the devices whose fixes were evaluated again, and `retractions` the events that were withdrawn because
    /// of that.
    package let replays = Counter()
    package let retractions = Counter()
    package let refusals = CounterFamily<RefusalReason>()
    package let events = CounterFamily<EventType>()
    package let ingestRequests = Counter()
    /// Requests that were rejected because too much work was waiting.
    package let rejectedRequests = Counter()
    /// The time of the newest accepted fix in milliseconds since 1970; 0 before the first fix.
    package let newestFix = Gauge()

    // Writer
    /// Seconds from the start of a transaction to its commit.
    package let commitTime = Histogram.seconds()
    /// Seconds for one sync of the write-ahead log.
    package let syncTime = Histogram.seconds()
    /// The numbers of fixes and of requests in one transaction.
    package let groupFixes = Histogram.counts()
    package let groupRequests = Histogram.counts()
    /// Requests that are waiting for the writer.
    package let queueDepth = Gauge()

    package let requests = CounterFamily<StatusClass>()
    /// Seconds from a request's header to the last byte of its response, without live streams.
    package let requestTime = Histogram.seconds()
    package let connections = Gauge()
    package let streams = Gauge()
    /// Live streams that were closed because their client read too slowly.
    package let slowReaders = Counter()

    // MQTT broker
    /// Nil without a broker.
    package let mqttState = Mutex<MQTTState?>(nil)
    package let mqttMessages = CounterFamily<MQTTOutcome>()

    // Phones
    package let repairs = CounterFamily<RepairEnding>()
    package let healthyDevices = Gauge()
    package let unhealthyDevices = Gauge()
    /// Managed devices whose registrations could not be read.
    package let unknownDevices = Gauge()
    /// Managed devices whose apps have not reported for too long.
    package let staleDevices = Gauge()

    // Problems
    /// Problems in the journal that are open and not dismissed.
    package let openProblems = Gauge()
    /// The escalated problems among `openProblems`.
    package let escalatedProblems = Gauge()
    private let unrecordedProblems = Mutex<(@Sendable (Instant) -> ProblemCounts)?>(nil)

    // Sinks
    package let sendOutcomes = CounterFamily<SendOutcome>()
    private let sinks = Mutex<(states: [String], read: @Sendable () -> [SinkReading])?>(nil)

    // Store
    private let store = Mutex<(id: String, epoch: String)?>(nil)
    /// The number of the newest event that was published.
    package let newestEvent = Gauge()
    /// The size of the database with its log in bytes.
    package let storeBytes = Gauge()
    /// The size of its write-ahead log in bytes.
    package let logBytes = Gauge()
    /// Positions that were deleted at the end of their retention period.
    package let deletedPositions = Counter()
    private let lastRetention = Gauge()
    private let lastBackup = Gauge()

    private let startedAt: Instant
    private let version: String

    /// - Parameter version: Picket's version.
    package init(version: String, startedAt: Instant) {
        self.version = version
        self.startedAt = startedAt
    }

    /// Counts refused inputs by reason.
    package func countRefusals(_ refused: [Refusal]) {
        for refusal in refused { refusals.add(RefusalReason(refusal)) }
    }

    /// Counts published events by type.
    package func countEvents(_ published: [Event]) {
        for event in published { events.add(event.type) }
    }

    /// Sets the store that the service uses.
    ///
    /// - Parameters:
    /// - id: The store's id.
    ///   - epoch: The store's current epoch.
    ///   - newest: The number of the store's newest event.
    package func setStore(_ id: String, epoch: String, newest: Int64) {
        store.withLock { $0 = (id, epoch) }
        newestEvent.set(Int(newest))
    }

    /// Adds the problems that are not in the journal to the problem metrics.
    ///
    /// - Parameter count: Returns the number of those problems at a moment. Called on any thread.
    package func setUnrecordedProblemSource(_ count: @escaping @Sendable (Instant) -> ProblemCounts) {
        unrecordedProblems.withLock { $0 = count }
    }

    /// Sets the source of the metrics about sinks.
    ///
    /// - Parameters:
    /// - states: All possible states of a connection.
    ///   - read: Returns the current numbers of each sink. Called on any thread.
    package func setSinkSource(states: [String], _ read: @escaping @Sendable () -> [SinkReading]) {
        sinks.withLock { $0 = (states, read) }
    }

    /// Records the time of a retention run.
    package func recordRetentionRun(at now: Instant) { lastRetention.set(Int(now.milliseconds)) }

    /// Records the time of the newest scheduled backup.
    package func recordBackup(at time: Instant) { lastBackup.set(Int(time.milliseconds)) }

    /// The media type of the text that `rendered(at:)` returns.
    package static var contentType: String { Exposition.contentType }

    /// All metrics in Prometheus' text format 0.0.4.
    package func rendered(at now: Instant) -> String {
        var page = Exposition()
        page.writeGauge("picket_build_info", help: "Always 1; the version is a label.", values: [([("version", version)], 1)])
        page.writeGauge("process_start_time_seconds", help: "When the service started, in Unix seconds.", startedAt.seconds)
        if let bytes = Metrics.residentBytes() {
            page.writeGauge("process_resident_memory_bytes", help: "Memory in use.", Double(bytes))
        }
        addPositions(to: &page, now)
        addWriter(to: &page)
        addHTTP(to: &page)
        addBroker(to: &page)
        addPhones(to: &page)
        addProblems(to: &page, now)
        addSinks(to: &page)
        addStore(to: &page)
        return page.text
    }

    private func addPositions(to page: inout Exposition, _ now: Instant) {
        page.writeCounter("picket_fixes_accepted_total", help: "Positions that were stored.", acceptedFixes)
        page.writeCounter(
            "picket_fixes_late_total", help: "Accepted positions that are older than their device's newest one.", lateFixes)
        page.writeCounter("picket_replays_total", help: "Devices that were evaluated again because of late positions.", replays)
        page.writeCounter("picket_retractions_total", help: "Events that were retracted by these evaluations.", retractions)
        page.writeCounter("picket_fixes_duplicate_total", help: "Positions that were already known.", duplicateFixes)
        page.writeCounters(
            "picket_fixes_refused_total", help: "Positions that were refused, by reason.", label: "reason", refusals)
        page.writeCounters("picket_events_total", help: "Events that were recorded, by type.", label: "type", events)
        page.writeCounter("picket_ingest_requests_total", help: "Requests that brought positions.", ingestRequests)
        page.writeCounter(
            "picket_ingest_turned_away_total", help: "Requests refused because too many were waiting.", rejectedRequests)
        if newestFix.value > 0 {
            let lag = now - Instant(milliseconds: Int64(newestFix.value))
            page.writeGauge("picket_lag_seconds", help: "Age of the newest position that was accepted.", lag)
        }
    }

    private func addWriter(to page: inout Exposition) {
        page.writeHistogram("picket_commit_seconds", help: "From a transaction's start to its commit.", commitTime)
        page.writeHistogram("picket_sync_seconds", help: "Syncs of the write-ahead log.", syncTime)
        page.writeHistogram("picket_group_fixes", help: "Positions that share a transaction.", groupFixes)
        page.writeHistogram("picket_group_requests", help: "Requests that share a transaction.", groupRequests)
        page.writeGauge("picket_queue_requests", help: "Requests that wait for the writer.", Double(queueDepth.value))
    }

    private func addHTTP(to page: inout Exposition) {
        page.writeCounters("picket_http_requests_total", help: "HTTP requests, by class of status.", label: "status", requests)
        page.writeHistogram("picket_http_request_seconds", help: "From a request's head to the end of its answer.", requestTime)
        page.writeGauge("picket_connections", help: "Open connections.", Double(connections.value))
        page.writeGauge("picket_streams", help: "Open live streams.", Double(streams.value))
        page.writeCounter("picket_slow_readers_total", help: "Live streams ended because their reader was too slow.", slowReaders)
    }

    private func addBroker(to page: inout Exposition) {
        guard let state = mqttState.withLock({ $0 }) else { return }
        page.writeGauge(
            "picket_mqtt_state", help: "State of the connection to the MQTT broker: 1 for the current state.",
            values: MQTTState.allCases.map { ([("state", $0.rawValue)], $0 == state ? 1 : 0) })
        page.writeCounters(
            "picket_mqtt_messages_total", help: "Messages of the MQTT broker, by outcome.", label: "outcome", mqttMessages)
    }

    private func addPhones(to page: inout Exposition) {
        page.writeCounters("picket_repairs_total", help: "Repairs of phones' registrations.", label: "outcome", repairs)
        let health = [
            ("healthy", healthyDevices), ("unhealthy", unhealthyDevices), ("unknown", unknownDevices), ("stale", staleDevices),
        ]
        page.writeGauge(
            "picket_managed_devices", help: "Devices whose registrations are managed, by health.",
            values: health.map { ([("health", $0)], Double($1.value)) })
    }

    private func addProblems(to page: inout Exposition, _ now: Instant) {
        let unrecorded = unrecordedProblems.withLock { $0 }?(now) ?? ProblemCounts(standing: 0, escalated: 0)
        page.writeGauge(
            "picket_problems", help: "Open problems that are not dismissed.",
            Double(openProblems.value + unrecorded.open))
        page.writeGauge(
            "picket_problems_escalated", help: "Open problems that have failed at least three times.",
            Double(escalatedProblems.value + unrecorded.escalated))
    }

    private func addSinks(to page: inout Exposition) {
        page.writeCounters(
            "picket_sink_messages_total", help: "Messages to sinks, by outcome.", label: "outcome", sendOutcomes)
        guard let (states, read) = sinks.withLock({ $0 }) else { return }
        let sinks = read().sorted { $0.id < $1.id }
        if sinks.isEmpty { return }
        func each(_ value: (SinkReading) -> Int) -> [(labels: [(String, String)], value: Double)] {
            sinks.map { ([("sink", $0.id)], Double(value($0))) }
        }
        page.writeGauge(
            "picket_sink_waiting", help: "Messages that wait for a sink or are being sent.", values: each(\.waiting))
        page.writeGauge("picket_sink_parked", help: "Events that a sink rejected.", values: each(\.rejected))
        page.writeCounter(
            "picket_sink_delivered_total", help: "Messages that a sink accepted since its creation.", values: each(\.delivered))
        page.writeCounter(
            "picket_sink_failures_total", help: "Messages that a sink did not accept since the start.", values: each(\.failures))
        page.writeCounter(
            "picket_sink_too_old_total", help: "Events that were too old to be sent to a sink, since the start.",
            values: each(\.tooOld))
        page.writeGauge(
            "picket_sink_state", help: "State of the connection to a sink: 1 for the current state.",
            values: sinks.flatMap { sink in states.map { ([("sink", sink.id), ("state", $0)], $0 == sink.state ? 1 : 0) } })
    }

    private func addStore(to page: inout Exposition) {
        if let store = store.withLock({ $0 }) {
            page.writeGauge(
                "picket_store_info", help: "Always 1; the store's id and its epoch (generation) are labels.",
                values: [([("store", store.id), ("generation", store.epoch)], 1)])
            page.writeGauge(
                "picket_newest_event", help: "The number of the newest recorded event.", Double(newestEvent.value))
        }
        page.writeGauge("picket_store_bytes", help: "Size of the database with its log.", Double(storeBytes.value))
        page.writeGauge("picket_wal_bytes", help: "Size of the database's write-ahead log.", Double(logBytes.value))
        page.writeCounter("picket_positions_forgotten_total", help: "Positions deleted by retention.", deletedPositions)
        if lastRetention.value > 0 {
            page.writeGauge(
                "picket_retention_last_run_timestamp_seconds", help: "When retention last ran, in Unix seconds.",
                Double(lastRetention.value) / 1000)
        }
        if lastBackup.value > 0 {
            page.writeGauge(
                "picket_backup_last_timestamp_seconds", help: "When the newest scheduled backup was made, in Unix seconds.",
                Double(lastBackup.value) / 1000)
        }
    }

    /// The resident memory of the process in bytes, from /proc/self/statm (proc(5): the second number, in pages); nil on systems other than
    /// Linux.
    private static func residentBytes() -> Int? {
        guard let file = fopen("/proc/self/statm", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 128)
        let count = fread(&buffer, 1, buffer.count, file)
        let words = String(decoding: buffer[..<count], as: UTF8.self).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { return nil }
        return pages * Int(getpagesize())
    }
}
