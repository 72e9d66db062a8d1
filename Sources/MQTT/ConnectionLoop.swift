import Foundation
import Model

/// The loop that runs on a connection's thread. Only this thread uses libmosquitto.
struct ConnectionLoop: ~Copyable {
    /// The reason why a loop ends.
    private enum Ending: Error {
        case closed
        case failed(Problem)
        /// The broker does not support the requested version of MQTT.
        case version
    }

    private struct Flight {
        var publication: Publication
        var sentAt: ContinuousClock.Instant
    }

    private let mailbox: ConnectionMailbox
    private let wake: WakeSignal
    private let client: Mosquitto
    /// Messages that were sent and are not acknowledged, by libmosquitto's message number.
    private var flights: [Int32: Flight] = [:]
    /// Results of messages whose completions are not called yet.
    private var outcomes: [(completion: MQTTConnection.Completion, result: Result<Void, Problem>)] = []
    private var outbox: [Publication] = []
    private var lookedAtClock = ContinuousClock.now
    private var isConnected = false

    /// The greatest number of messages that are passed to the handler together.
    private static let mostReceived = 1000
    /// Received messages are passed to the handler once they have at least this number of bytes.
    private static let mostBytes = 8 << 20
    /// The greatest duration of a clean disconnect, in seconds.
    private static let goodbye = 1.0

    private init(_ mailbox: ConnectionMailbox, _ wake: WakeSignal, _ client: consuming Mosquitto) {
        self.mailbox = mailbox
        self.wake = wake
        self.client = client
    }

    /// Runs a connection to its end, with MQTT 5.0 or, if the broker does not support that, with MQTT 3.1.1.
    static func run(_ mailbox: ConnectionMailbox) {
        for isVersion5 in [true, false] {
            do throws(Problem) {
                guard let wake = mailbox.wake else { throw .unknown(details: "no file descriptor is left for the connection") }
                var loop = ConnectionLoop(mailbox, wake, try Mosquitto.make(mailbox.options, isVersion5: isVersion5))
                do throws(Ending) {
                    try loop.connect()
                    while true { try loop.turn() }
                } catch {
                    switch error {
                    case .version where isVersion5: continue
                    case .version:
                        throw .noConnection(peer: "\(mailbox.options.broker)", details: "the broker does not speak MQTT 3.1.1")
                    case .closed:
                        loop.sayGoodbye()
                        loop.tellOutcomes()
                        mailbox.end(nil, failing: loop.flights.values.map(\.publication))
                    case .failed(let problem):
                        // Messages that were acknowledged before the failure must not be reported as failed.
                        loop.tellOutcomes()
                        mailbox.end(problem, failing: loop.flights.values.map(\.publication))
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
    private mutating func connect() throws(Ending) {
        do {
            try client.connect()
        } catch {
            throw .failed(error.problem(options.broker))
        }
        while client.events.connected == nil { try turn() }
        // From now on libmosquitto would log a line for each message.
        client.endLog()
        if !options.subscriptions.isEmpty {
            do {
                try client.subscribe()
            } catch {
                throw .failed(
                    .validationFailed(
                        field: "topic", value: options.subscriptions.joined(separator: " "), reason: .verbatim(error.details),
                        expected: .topicFilters))
            }
            while client.events.granted == nil { try turn() }
            for (filter, reason) in zip(options.subscriptions, client.events.granted ?? []) where reason >= 0x80 {
                throw .failed(MQTTRefusal.subscription(filter).problem(reason, options))
            }
        }
        guard mailbox.begin(sessionPresent: client.events.isSessionPresent) else { throw .closed }
        isConnected = true
    }

    // MARK: - One iteration

    /// Sends waiting messages, waits up to a second for the socket or a signal, and handles what has arrived.
    private mutating func turn() throws(Ending) {
        if mailbox.isOver { throw .closed }
        sendOutbox()
        if client.wantsToWrite { try attempt { () throws(MosquittoError) in try client.write() } }
        tellOutcomes()

        var ready = [pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)]
        let writing = client.wantsToWrite ? Int16(POLLOUT) : 0
        ready.append(pollfd(fd: client.socket, events: Int16(POLLIN) | writing, revents: 0))
        let count = unsafe poll(&ready, 2, 1000)
        if count > 0 {
            if ready[0].revents != 0 { wake.clear() }
            if ready[1].revents != 0 { try receive(ready[1].revents) }
        }
        try lookAtClock()
    }

    /// Passes the messages of the outbox to libmosquitto.
    private mutating func sendOutbox() {
        guard isConnected else { return }
        mailbox.takeOutbox(&outbox)
        if outbox.isEmpty { return }
        let now = ContinuousClock.now
        for publication in outbox {
            do throws(MosquittoError) {
                let id = try client.publish(publication.message)
                // Message numbers repeat after 65,535 messages. If an older message with the same number is still unacknowledged, the
                // broker has lost it.
                if let lost = flights.updateValue(Flight(publication: publication, sentAt: now), forKey: id) {
                    let details = "a message was not acknowledged while 65,535 others were"
                    outcomes.append(
                        (lost.publication.completion, .failure(.timeout(peer: "\(options.broker)", details: details))))
                }
            } catch {
                outcomes.append((publication.completion, .failure(error.problem(of: publication.message))))
            }
        }
        outbox.removeAll(keepingCapacity: true)
    }

    /// Reads from the socket and passes received messages to the handler.
    private mutating func receive(_ ready: Int16) throws(Ending) {
        if client.events.connected == nil { try lookForEnd(ready) }
        acknowledgeAtOnce()
        for _ in 0..<Self.mostReceived {
            try attempt { () throws(MosquittoError) in try client.read() }
            let events = client.events
            if events.received.count >= Self.mostReceived || events.receivedBytes >= Self.mostBytes || !isReadable { break }
        }
        collectOutcomes()
        try deliver()
        try checkAnswers()
        if client.socket < 0 {
            throw .failed(.noConnection(peer: "\(options.broker)", details: "the broker closed the connection"))
        }
    }

    /// Makes the system acknowledge received TCP segments at once. A broker with Nagle's algorithm, such as mosquitto by default, sends the
    /// next PUBACKs only after TCP has acknowledged the first one, which would take 40 ms. The option `TCP_QUICKACK` holds only for a while
    /// (tcp(7)), so it is set again each time.
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
    private func lookForEnd(_ ready: Int16) throws(Ending) {
        var byte: UInt8 = 0
        let count = unsafe recv(client.socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        if count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        var reason = "the broker closed the connection"
        if count < 0 { reason = unsafe String(cString: strerror(errno)) }
        let peer = "\(options.broker)"
        throw .failed(
            options.broker.usesTLS
                ? .tlsFailed(peer: peer, details: "\(reason) before it was safe; perhaps it does not speak TLS at this port")
                : .noConnection(peer: peer, details: "\(reason) before it accepted it"))
    }

    private func attempt(_ work: () throws(MosquittoError) -> Void) throws(Ending) {
        do {
            try work()
        } catch {
            // The broker's reason, if it has sent one, is more helpful than the error of the broken connection.
            try checkAnswers()
            throw .failed(error.problem(options.broker))
        }
    }

    /// Ends the loop if the broker has refused the connection or has sent DISCONNECT.
    private func checkAnswers() throws(Ending) {
        if let reason = client.events.connected, reason != 0 {
            if !isConnected, reason == 1 || reason == 0x84 { throw .version }
            throw .failed(MQTTRefusal.connection.problem(reason, options))
        }
        if let reason = client.events.disconnected, reason == 0 || reason >= 0x80 {
            throw .failed(MQTTRefusal.end.problem(reason, options))
        }
    }

    /// Passes received messages to the handler. Their acknowledgements are sent with the next write.
    private func deliver() throws(Ending) {
        if client.events.received.isEmpty { return }
        var messages: [MQTTMessage] = []
        swap(&messages, &client.events.received)
        client.events.receivedBytes = 0
        do throws(Problem) {
            try mailbox.handlers.received(messages)
        } catch {
            throw .failed(error)
        }
    }

    // MARK: - Outcomes

    private mutating func collectOutcomes() {
        for (id, reason) in client.events.published {
            guard let flight = flights.removeValue(forKey: id) else { continue }
            let problem = reason < 0x80 ? nil : MQTTRefusal.message(flight.publication.message.topic).problem(reason, options)
            outcomes.append((flight.publication.completion, problem.map { .failure($0) } ?? .success(())))
        }
        client.events.published.removeAll(keepingCapacity: true)
    }

    private mutating func tellOutcomes() {
        collectOutcomes()
        if outcomes.isEmpty { return }
        // The slots are released first, because a completion may publish the next message.
        mailbox.settle(outcomes.count)
        var told: [(completion: MQTTConnection.Completion, result: Result<Void, Problem>)] = []
        swap(&told, &outcomes)
        for outcome in told { outcome.completion(outcome.result) }
        told.removeAll(keepingCapacity: true)
        if outcomes.isEmpty { swap(&told, &outcomes) }
    }

    // MARK: - Time

    /// Once a second, sends or checks keep-alive packets and checks for messages without acknowledgement.
    private mutating func lookAtClock() throws(Ending) {
        let now = ContinuousClock.now
        guard now - lookedAtClock >= .seconds(1) else { return }
        lookedAtClock = now
        try attempt { () throws(MosquittoError) in try client.keepAlive() }
        let limit = Duration.seconds(options.acknowledgementTimeout)
        if flights.values.contains(where: { now - $0.sentAt > limit }) {
            throw .failed(
                .timeout(
                    peer: "\(options.broker)",
                    details: "a message was not acknowledged within \(JSONValue(options.acknowledgementTimeout)) s"))
        }
    }

    /// Sends the messages of the outbox and then DISCONNECT.
    private mutating func sayGoodbye() {
        guard isConnected else { return }
        sendOutbox()
        let end = ContinuousClock.now + .seconds(Self.goodbye)
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
