import Foundation
import Model
import Workers

/// The loop that runs on a connection's thread. Only this thread uses libmosquitto.
struct ConnectionLoop: ~Copyable {
    /// The reason why a loop ends.
    private enum LoopEnd: Error {
        case closed
        case failed(MQTTError)
        /// The broker does not support the requested version of MQTT.
        case version
    }

    private struct SentPublication {
        var publication: Publication
        var sentAt: ContinuousClock.Instant
    }

    private let mailbox: ConnectionMailbox
    private let wake: WakeSignal
    private let client: Mosquitto
    /// Messages that were sent and are not acknowledged, by libmosquitto's message number.
    private var sentPublications: [Int32: SentPublication] = [:]
    /// Results of messages whose completions are not called yet.
    private var outcomes: [(completion: MQTTConnection.Completion, result: Result<Void, MQTTError>)] = []
    private var outbox: [Publication] = []
    private var lastTimeoutCheck = ContinuousClock.now
    private var isConnected = false

    /// The maximum number of messages that are passed to the handler together.
    private static let maximumBatchCount = 1000
    /// Received messages are passed to the handler once they have at least this number of bytes.
    private static let maximumBatchBytes = 8 << 20
    /// The maximum duration of a clean disconnect, in seconds.
    private static let disconnectTimeout = 1.0

    private init(_ mailbox: ConnectionMailbox, _ wake: WakeSignal, _ client: consuming Mosquitto) {
        self.mailbox = mailbox
        self.wake = wake
        self.client = client
    }

    /// Runs a connection to its end, with MQTT 5.0 or, if the broker does not support that, with MQTT 3.1.1.
    static func run(_ mailbox: ConnectionMailbox) {
        for isVersion5 in [true, false] {
            do throws(MQTTError) {
                guard let wake = mailbox.wake else { throw .other(details: .noFileDescriptor) }
                var loop = ConnectionLoop(mailbox, wake, try Mosquitto.make(mailbox.options, isVersion5: isVersion5))
                do throws(LoopEnd) {
                    try loop.connect()
                    while true { try loop.runOnce() }
                } catch {
                    switch error {
                    case .version where isVersion5: continue
                    case .version:
                        throw .cannotConnect(peer: "\(mailbox.options.broker)", details: .brokerWithoutMQTT311)
                    case .closed:
                        loop.disconnectCleanly()
                        loop.reportOutcomes()
                        mailbox.end(nil, failing: loop.sentPublications.values.map(\.publication))
                    case .failed(let error):
                        // Messages that were acknowledged before the failure must not be reported as failed.
                        loop.reportOutcomes()
                        mailbox.end(error, failing: loop.sentPublications.values.map(\.publication))
                    }
                }
            } catch {
                mailbox.end(error)
            }
            return
        }
    }

    private var options: MQTTOptions { mailbox.options }

    // MARK: - Connecting

    /// Connects, authenticates and subscribes.
    private mutating func connect() throws(LoopEnd) {
        do {
            try reachHost()
        } catch {
            throw .failed(error.connectionError(options.broker))
        }
        while client.events.connected == nil { try runOnce() }
        // From now on libmosquitto would log a line for each message.
        client.disableLog()
        if !options.subscriptions.isEmpty {
            do {
                try client.subscribe()
            } catch {
                throw .failed(.invalidTopicFilters(options.subscriptions, details: error.details))
            }
            while client.events.granted == nil { try runOnce() }
            for (filter, reason) in zip(options.subscriptions, client.events.granted ?? []) where reason >= 0x80 {
                throw .failed(.refused(MQTTRefusal(.subscription(filter), code: reason, options: options)))
            }
        }
        guard mailbox.markConnected(sessionPresent: client.events.isSessionPresent) else { throw .closed }
        isConnected = true
    }

    private func reachHost() throws(MosquittoError) {
        mailbox.willBlock()
        defer { mailbox.didBlock() }
        try client.connect()
    }

    // MARK: - One iteration

    /// Sends waiting messages, waits up to a second for the socket or a signal, and handles what has arrived.
    private mutating func runOnce() throws(LoopEnd) {
        if mailbox.isClosingOrEnded { throw .closed }
        sendOutbox()
        if client.wantsToWrite { try attempt { () throws(MosquittoError) in try client.write() } }
        reportOutcomes()

        var ready = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
        let writing = client.wantsToWrite ? Int16(POLLOUT) : 0
        ready.append(pollfd(fd: client.socket, events: Int16(POLLIN) | writing, revents: 0))
        let count = unsafe poll(&ready, 2, 1000)
        if count > 0 {
            if ready[0].revents != 0 { wake.clear() }
            if ready[1].revents != 0 { try receive() }
        }
        try checkTimeouts()
    }

    /// Passes the messages of the outbox to libmosquitto.
    private mutating func sendOutbox() {
        guard isConnected else { return }
        mailbox.swapOutbox(&outbox)
        if outbox.isEmpty { return }
        let now = ContinuousClock.now
        for publication in outbox {
            do throws(MosquittoError) {
                let id = try client.publish(publication.message)
                // Message numbers repeat after 65,535 messages. If an older message with the same number is still unacknowledged, the
                // broker has lost it.
                if let lost = sentPublications.updateValue(SentPublication(publication: publication, sentAt: now), forKey: id) {
                    outcomes.append(
                        (lost.publication.completion, .failure(.timedOut(peer: "\(options.broker)", details: .messageLost))))
                }
            } catch {
                outcomes.append((publication.completion, .failure(error.publicationError(publication.message))))
            }
        }
        outbox.removeAll(keepingCapacity: true)
    }

    /// Reads from the socket and passes received messages to the handler.
    private mutating func receive() throws(LoopEnd) {
        if client.events.connected == nil { try checkForClose() }
        acknowledgeAtOnce()
        for _ in 0..<Self.maximumBatchCount {
            try attempt { () throws(MosquittoError) in try client.read() }
            let events = client.events
            if events.received.count >= Self.maximumBatchCount || events.receivedBytes >= Self.maximumBatchBytes || !isReadable {
                break
            }
        }
        collectOutcomes()
        try deliver()
        try checkAnswers()
        if client.socket < 0 {
            throw .failed(.cannotConnect(peer: "\(options.broker)", details: .brokerClosedConnection))
        }
    }

    /// Makes the system acknowledge received TCP segments at once. A broker with Nagle's algorithm, such as mosquitto by default,
    /// sends the next PUBACKs only after TCP has acknowledged the first one, which would take 40 ms. The option `TCP_QUICKACK`
    /// stays in effect only for a while (tcp(7)), so it is set again each time.
    private func acknowledgeAtOnce() {
        #if os(Linux)
            var isOn: Int32 = 1
            _ = unsafe setsockopt(
                client.socket, Int32(IPPROTO_TCP), TCP_QUICKACK, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Whether the socket has more to read.
    private var isReadable: Bool {
        guard client.socket >= 0 else { return false }
        var ready = pollfd(fd: client.socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&ready, 1, 0) > 0
    }

    /// Ends the loop if the connection was closed before the broker accepted it. libmosquitto does not notice that during a TLS handshake.
    private func checkForClose() throws(LoopEnd) {
        var byte: UInt8 = 0
        let count = unsafe recv(client.socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        let cause: MQTTError.Details = count < 0 ? .verbatim(unsafe String(cString: strerror(errno))) : .brokerClosedConnection
        let peer = "\(options.broker)"
        throw .failed(
            options.broker.usesTLS
                ? .tlsFailed(peer: peer, details: .beforeTLS(cause))
                : .cannotConnect(peer: peer, details: .beforeAcceptance(cause)))
    }

    private func attempt(_ work: () throws(MosquittoError) -> Void) throws(LoopEnd) {
        do {
            try work()
        } catch {
            // The broker's reason, if it has sent one, is more helpful than the error of the broken connection.
            try checkAnswers()
            throw .failed(error.connectionError(options.broker))
        }
    }

    /// Ends the loop if the broker has refused the connection or has sent DISCONNECT.
    private func checkAnswers() throws(LoopEnd) {
        if let reason = client.events.connected, reason != 0 {
            if !isConnected, reason == 1 || reason == 0x84 { throw .version }
            throw .failed(.refused(MQTTRefusal(.connection, code: reason, options: options)))
        }
        if let reason = client.events.disconnected, reason == 0 || reason >= 0x80 {
            throw .failed(.refused(MQTTRefusal(.end, code: reason, options: options)))
        }
    }

    /// Passes received messages to the handler. Their acknowledgments are sent with the next write.
    private func deliver() throws(LoopEnd) {
        if client.events.received.isEmpty { return }
        var messages: [MQTTMessage] = []
        swap(&messages, &client.events.received)
        client.events.receivedBytes = 0
        guard mailbox.handlers.received(messages) else { throw .failed(.messagesNotProcessed) }
    }

    // MARK: - Outcomes

    private mutating func collectOutcomes() {
        for (id, reason) in client.events.published {
            guard let flight = sentPublications.removeValue(forKey: id) else { continue }
            let result: Result<Void, MQTTError> =
                reason < 0x80
                ? .success(())
                : .failure(.refused(MQTTRefusal(.message(flight.publication.message.topic), code: reason, options: options)))
            outcomes.append((flight.publication.completion, result))
        }
        client.events.published.removeAll(keepingCapacity: true)
    }

    private mutating func reportOutcomes() {
        collectOutcomes()
        if outcomes.isEmpty { return }
        // The slots are released first, because a completion may publish the next message.
        mailbox.releaseSlots(outcomes.count)
        var completed: [(completion: MQTTConnection.Completion, result: Result<Void, MQTTError>)] = []
        swap(&completed, &outcomes)
        for outcome in completed { outcome.completion(outcome.result) }
        completed.removeAll(keepingCapacity: true)
        if outcomes.isEmpty { swap(&completed, &outcomes) }
    }

    // MARK: - Time

    /// Once a second, sends or checks keep-alive packets and checks for messages without acknowledgment.
    private mutating func checkTimeouts() throws(LoopEnd) {
        let now = ContinuousClock.now
        guard now - lastTimeoutCheck >= .seconds(1) else { return }
        lastTimeoutCheck = now
        try attempt { () throws(MosquittoError) in try client.keepAlive() }
        let limit = Duration.seconds(options.acknowledgementTimeout)
        if sentPublications.values.contains(where: { now - $0.sentAt > limit }) {
            throw .failed(
                .timedOut(
                    peer: "\(options.broker)",
                    details: .notAcknowledged(options.acknowledgementTimeout)))
        }
    }

    /// Sends the messages of the outbox and then DISCONNECT.
    private mutating func disconnectCleanly() {
        guard isConnected else { return }
        sendOutbox()
        let end = ContinuousClock.now + .seconds(Self.disconnectTimeout)
        do throws(MosquittoError) {
            try client.disconnect()
            while client.socket >= 0, client.wantsToWrite, ContinuousClock.now < end {
                try client.write()
                var ready = pollfd(fd: client.socket, events: Int16(POLLOUT), revents: 0)
                if client.socket >= 0 { _ = unsafe poll(&ready, 1, 100) }
            }
        } catch {
            // The broker has already closed the connection.
        }
    }
}
