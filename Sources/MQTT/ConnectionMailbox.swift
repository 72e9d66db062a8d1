import Dispatch
import Foundation
import Model
import Synchronization

/// A message to send, and whom to tell.
struct Publication: Sendable {
    var message: MQTTMessage
    var completion: MQTTConnection.Completion
}

/// What a connection's thread and those who use the connection share.
final class ConnectionMailbox: Sendable {
    private enum Phase {
        case connecting, connected, ended
    }

    private struct Shared {
        var phase = Phase.connecting
        var isClosing = false
        /// What the thread has not taken yet.
        var outbox: [Publication] = []
        /// Messages whose completion was not called yet, those of the outbox included.
        var outstanding = 0
    }

    let options: MQTTOptions
    let handlers: MQTTConnection.Handlers
    let wake: WakeSignal?
    private let shared = Mutex(Shared())
    private let ending = DispatchGroup()

    init(_ options: MQTTOptions, _ handlers: MQTTConnection.Handlers) {
        self.options = options
        self.handlers = handlers
        wake = WakeSignal()
        ending.enter()
    }

    func start() {
        let thread = Thread { [self] in ConnectionLoop.run(self) }
        thread.name = "picket mqtt"
        thread.stackSize = 1 << 20
        thread.start()
        // The system tries for minutes to reach a host that does not answer, and nothing can interrupt it. So the connection ends
        // without its thread, and the thread ends when the system gives up.
        DispatchQueue.global().asyncAfter(deadline: .now() + options.connectTimeout) { [weak self] in
            guard let self, !isConnected else { return }
            end(.timeout(peer: "\(options.broker)", details: "no connection within \(JSONValue(options.connectTimeout)) s"))
            wake?.signal()
        }
    }

    // MARK: - For those who use the connection

    func publish(_ message: MQTTMessage, _ completion: @escaping MQTTConnection.Completion) -> Bool {
        let (isTaken, isFirst) = shared.withLock { shared in
            guard shared.phase == .connected, !shared.isClosing, shared.outstanding < options.window else {
                return (false, false)
            }
            shared.outstanding += 1
            shared.outbox.append(Publication(message: message, completion: completion))
            return (true, shared.outbox.count == 1)
        }
        if isFirst { wake?.signal() }
        return isTaken
    }

    var isConnected: Bool { shared.withLock { $0.phase == .connected } }

    func close() {
        let phase = shared.withLock { shared in
            shared.isClosing = true
            return shared.phase
        }
        wake?.signal()
        // The thread may be held up by the system.
        if phase == .connecting { DispatchQueue.global().async { self.end(nil) } }
    }

    func waitUntilEnded() { ending.wait() }

    // MARK: - For the thread

    /// Whether nobody wants the connection any more.
    var isOver: Bool { shared.withLock { $0.isClosing || $0.phase == .ended } }

    /// Notes that the connection is up. False when it is too late.
    func begin(sessionPresent: Bool) -> Bool {
        let isInTime = shared.withLock { shared in
            guard shared.phase == .connecting, !shared.isClosing else { return false }
            shared.phase = .connected
            return true
        }
        if isInTime { handlers.connected(sessionPresent) }
        return isInTime
    }

    /// Moves what is to be sent into an empty array, whose storage is used again.
    func takeOutbox(_ emptied: inout [Publication]) { shared.withLock { swap(&$0.outbox, &emptied) } }

    /// Makes room for so many messages.
    func settle(_ count: Int) { shared.withLock { $0.outstanding -= count } }

    /// Ends the connection, unless it has ended: fails all messages and tells the owner.
    ///
    /// - Parameter publications: Messages that are in flight.
    func end(_ problem: Problem?, failing publications: [Publication] = []) {
        let waiting: [Publication]? = shared.withLock { shared in
            guard shared.phase != .ended else { return nil }
            shared.phase = .ended
            defer { shared.outbox = [] }
            return shared.outbox
        }
        guard let waiting else { return }
        for publication in publications + waiting { publication.completion(.failure(problem ?? .cancelled)) }
        handlers.ended(problem)
        ending.leave()
    }
}
