import Delivery
import Dispatch
import MQTT
import Model
import Synchronization

/// Publishes to a broker with QoS 1 over one lasting connection. A message counts as delivered when the broker has acknowledged it.
final class MQTTSender: SinkSender {
    // The queue sends one message of a device at a time, because a broker may refuse one message and accept the next.
    let isPipelined = false
    let limit = 256

    private typealias Work = (message: MQTTMessage, completion: @Sendable (Problem?) -> Void)

    private struct State {
        var connection: MQTTConnection?
        /// The connection of the last attempt.
        var last: MQTTConnection?
        /// The number of the attempt whose host is being resolved; nil if none is.
        var resolving: Int?
        var attempts = 0
        /// Whether the broker has accepted the connection.
        var isConnected = false
        /// Whether the connection that is being opened has already ended.
        var hasEnded = false
        /// Messages that wait for the connection.
        var waiting: [Work] = []
        var isStopped = false
        /// Whether the announcement to Home Assistant was withdrawn, so that no `offline` is published.
        var isWithdrawn = false
    }

    private let sink: Sink
    private let resolver: NameResolver
    private let allowsPrivate: Bool
    private let onNews: @Sendable (PeerNews) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - allowsPrivate: Whether the broker may be in a private network.
    ///   - heard: Called with news of the broker, on any thread.
    init(
        _ sink: Sink, resolver: NameResolver, allowsPrivate: Bool, onNews heard: @escaping @Sendable (PeerNews) -> Void
    ) {
        self.sink = sink
        self.resolver = resolver
        self.allowsPrivate = allowsPrivate
        self.onNews = heard
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .publish(let publications) = message else { return done(.wrongMessage(sink)) }
        let sink = sink
        let round = PublicationGroup(count: publications.count) { problem in
            done(SendResult(problem.map { DeliveryOutcome($0.scrubbed(of: sink)) } ?? .delivered))
        }
        let works = publications.map { publication -> Work in
            (MQTTMessage(publication.topic, publication.payload, isRetained: publication.isRetained), { round.finishOne($0) })
        }
        if let will, let last = publications.last(where: { $0.topic == will.topic }) {
            state.withLock { $0.isWithdrawn = last.payload.isEmpty }
        }
        enum Next {
            case publish(MQTTConnection)
            case connect, wait, refuse
        }
        let next = state.withLock { state -> Next in
            if state.isStopped { return .refuse }
            if state.isConnected, let connection = state.connection { return .publish(connection) }
            let isFirst = state.waiting.isEmpty && state.connection == nil && state.resolving == nil
            state.waiting += works
            return isFirst ? .connect : .wait
        }
        switch next {
        case .publish(let connection): Self.publish(works, over: connection)
        case .connect: connect(sink.target)
        case .wait: break
        case .refuse: for work in works { work.completion(.cancelled) }
        }
    }

    func stop() {
        let (connection, waiting, isWithdrawn) = state.withLock { state in
            state.isStopped = true
            defer { (state.waiting, state.resolving) = ([], nil) }
            return (state.connection.take(), state.waiting, state.isWithdrawn)
        }
        // After a regular disconnect the broker does not publish the will.
        if let will, !isWithdrawn { _ = connection?.publish(will) }
        connection?.close()
        for work in waiting { work.completion(.cancelled) }
    }

    // MARK: - The connection

    /// The message that the broker publishes to Home Assistant when the connection is lost.
    private var will: MQTTMessage? {
        sink.target.homeAssistant.map { MQTTMessage($0.availabilityTopic, "offline", isRetained: true) }
    }

    /// Resolves the broker's host and connects. The system would resolve it on the connection's thread, which cannot be interrupted.
    private func connect(_ target: SinkTarget) {
        do throws(Problem) {
            guard allowsPrivate else { throw target.privateNetworkProblem }
            let options = MQTTOptions(try BrokerAddress(target.address))
            let peer = "\(options.broker)"
            if state.withLock({ $0.last?.hasBlockedThread }) == true {
                throw Problem(MQTTError.timedOut(peer: peer, details: .notConnectedWithin(options.connectTimeout)))
            }
            let host = options.broker.host
            guard URLHost.needsQuery(host) else { return open(options, target) }
            let attempt = state.withLock { state in
                state.attempts += 1
                state.resolving = state.attempts
                return state.attempts
            }
            let known = resolver.resolve(host) { [weak self] in self?.resolved(host, $0, options, target, attempt) }
            if let known { return resolved(host, known, options, target, attempt) }
            DispatchQueue.global().asyncAfter(deadline: .now() + options.connectTimeout) { [weak self] in
                guard let self, endResolving(attempt) else { return }
                ended(.timeout(peer: peer, details: .verbatim(NameResolver.timeoutDetails(options.connectTimeout))))
            }
        } catch {
            ended(error)
        }
    }

    private func resolved(
        _ host: String, _ answer: NameResolver.Answer, _ options: MQTTOptions, _ target: SinkTarget, _ attempt: Int
    ) {
        guard endResolving(attempt) else { return }
        switch answer {
        case .success: open(options, target)
        case .failure(let failure):
            ended(.noConnection(peer: "\(options.broker)", details: .verbatim(failure.details(ofHost: host))))
        }
    }

    /// Ends the wait for the address of an attempt's host. False if it has ended before.
    private func endResolving(_ attempt: Int) -> Bool {
        state.withLock { state in
            guard state.resolving == attempt else { return false }
            state.resolving = nil
            return true
        }
    }

    private func open(_ usual: MQTTOptions, _ target: SinkTarget) {
        var options = usual
        // Each message publishes an event and a state.
        options.window = 2 * limit
        options.will = will
        if let discovery = target.homeAssistant {
            options.subscriptions = [discovery.configurationFilter]
            // Announcements are published in batches beside the events.
            options.window += 256
        }
        state.withLock { $0.hasEnded = false }
        var handlers = MQTTConnection.Handlers()
        handlers.connected = { [weak self] _ in self?.connected() }
        handlers.received = { [onNews] messages in
            for message in messages where message.isRetained {
                onNews(.retained(topic: message.topic, payload: message.text))
            }
            return true
        }
        handlers.ended = { [weak self, onNews] error in
            // A stopped sender may be gone, but its successor needs to know that the connection has ended.
            guard let self else { return onNews(.connectionEnded) }
            self.ended(error.map { Problem($0) } ?? .cancelled)
        }
        let connection = MQTTConnection(options, handlers)
        let isWanted = state.withLock { state in
            if !state.hasEnded, !state.isStopped { state.connection = connection }
            state.last = connection
            return !state.isStopped
        }
        if !isWanted { connection.close() }
        publishWaiting()
    }

    private func connected() {
        state.withLock { $0.isConnected = true }
        publishWaiting()
    }

    /// Publishes waiting messages if the connection is up.
    private func publishWaiting() {
        let (connection, waiting) = state.withLock { state -> (MQTTConnection?, [Work]) in
            guard state.isConnected, let connection = state.connection else { return (nil, []) }
            defer { state.waiting = [] }
            return (connection, state.waiting)
        }
        if let connection { Self.publish(waiting, over: connection) }
    }

    private func ended(_ problem: Problem) {
        let waiting = state.withLock { state in
            (state.isConnected, state.hasEnded, state.connection) = (false, true, nil)
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in waiting { work.completion(problem) }
        onNews(.connectionEnded)
    }

    private static func publish(_ works: [Work], over connection: MQTTConnection) {
        for work in works {
            let isTaken = connection.publish(work.message) { result in
                if case .failure(let error) = result { work.completion(Problem(error)) } else { work.completion(nil) }
            }
            if !isTaken {
                work.completion(
                    .noConnection(peer: connection.broker, details: Phrase("the connection ended before the message was sent")))
            }
        }
    }

    /// Several publications that form one message, which is delivered when all of them are.
    private final class PublicationGroup: Sendable {
        private let state: Mutex<(left: Int, problem: Problem?)>
        private let done: @Sendable (Problem?) -> Void

        init(count: Int, _ done: @escaping @Sendable (Problem?) -> Void) {
            state = Mutex((count, nil))
            self.done = done
        }

        func finishOne(_ result: Problem?) {
            let (isLast, problem) = state.withLock { state in
                state.left -= 1
                state.problem = state.problem ?? result
                return (state.left == 0, state.problem)
            }
            if isLast { done(problem) }
        }
    }
}
