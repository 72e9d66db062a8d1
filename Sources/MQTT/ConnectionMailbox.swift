import Dispatch
import Foundation
import Synchronization
import Workers

/// A message to send, with its completion.
struct Publication: Sendable {
    var message: MQTTMessage
    var completion: MQTTConnection.Completion
}

/// The state that a connection's thread shares with the users of the connection.
final class ConnectionMailbox: Sendable {
    private enum Phase {
        case connecting, connected, ended
    }

    private struct Shared {
        var phase = Phase.connecting
        var isClosing = false
        /// Whether the thread waits for the system to reach the host, which cannot be interrupted.
        var isBlocked = false
        /// Messages that the thread has not taken yet.
        var outbox: [Publication] = []
        /// The number of messages whose completion was not called yet, including those in the outbox.
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
        // The system may try for minutes to reach a host that does not answer, and this cannot be interrupted. Therefore the connection
        // ends without its thread, and the thread ends when the system gives up.
        DispatchQueue.global().asyncAfter(deadline: .now() + options.connectTimeout) { [weak self] in
            guard let self, !isConnected else { return }
            end(.timedOut(peer: "\(options.broker)", details: .notConnectedWithin(options.connectTimeout)))
            wake?.signal()
        }
    }

    // MARK: - For users of the connection

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
        // The thread may be blocked in a system call.
        if phase == .connecting { DispatchQueue.global().async { self.end(nil) } }
    }

    func waitUntilEnded() { ending.wait() }

    /// Whether the connection has ended while its thread still waits for the system.
    var hasBlockedThread: Bool { shared.withLock { $0.phase == .ended && $0.isBlocked } }

    // MARK: - For the connection's thread

    /// The thread calls these before and after the system reaches the host.
    func willBlock() { shared.withLock { $0.isBlocked = true } }
    func didBlock() { shared.withLock { $0.isBlocked = false } }

    /// Whether the connection has ended or is to be closed.
    var isClosingOrEnded: Bool { shared.withLock { $0.isClosing || $0.phase == .ended } }

    /// Marks the connection as connected and calls the handler.
    ///
    /// - Returns: False if the connection has ended or is to be closed.
    func markConnected(sessionPresent: Bool) -> Bool {
        let isInTime = shared.withLock { shared in
            guard shared.phase == .connecting, !shared.isClosing else { return false }
            shared.phase = .connected
            return true
        }
        if isInTime { handlers.connected(sessionPresent) }
        return isInTime
    }

    /// Swaps the outbox with an empty array, so that the storage of both is reused.
    func swapOutbox(_ emptied: inout [Publication]) { shared.withLock { swap(&$0.outbox, &emptied) } }

    /// Releases the slots of a number of messages whose results are known.
    func releaseSlots(_ count: Int) { shared.withLock { $0.outstanding -= count } }

    /// Ends the connection unless it has already ended: fails all messages and calls the handler.
    ///
    /// - Parameters:
    ///   - error: The reason; nil if the connection was closed on purpose.
    ///   - publications: Messages that were sent and are not acknowledged.
    func end(_ error: MQTTError?, failing publications: [Publication] = []) {
        let waiting: [Publication]? = shared.withLock { shared in
            guard shared.phase != .ended else { return nil }
            shared.phase = .ended
            defer { shared.outbox = [] }
            return shared.outbox
        }
        guard let waiting else { return }
        for publication in publications + waiting { publication.completion(.failure(error ?? .closed)) }
        handlers.ended(error)
        ending.leave()
    }
}
