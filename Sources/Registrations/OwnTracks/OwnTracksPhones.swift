import Dispatch
import MQTT
import Model
import Synchronization

/// The connections to the phones with an OwnTracks app. Commands are published on the topic `/cmd` at the broker, or sent in the response
/// to the phone's next request. Also manages the callers that wait for a phone's message. Can be used from any thread.
package final class OwnTracksPhones: Sendable {
    /// How a phone has last sent something.
    package enum PhoneChannel: Hashable, Sendable {
        /// At the broker. `topic` is the one on which the phone publishes its positions.
        case broker(topic: String)
        /// By an HTTP request.
        case request
    }

    /// A caller that waits for a list.
    private struct ListWaiter {
        var id: Int
        /// The number of lists that had arrived when the caller started to wait.
        var after: Int
        var resume: @Sendable (Bool) -> Void
    }

    /// An HTTP request that was not answered yet.
    private struct Request {
        var id: Int
        var answer: @Sendable ([JSONValue]) -> Void
    }

    private struct Phone {
        var channel: PhoneChannel?
        /// The commands for the next response.
        var commands: [JSONValue] = []
        /// When a command was sent that the phone has not answered; nil if the phone has sent something since.
        var askedAt: ContinuousClock.Instant?
        /// The number of lists that have arrived.
        var lists = 0
        var readers: [ListWaiter] = []
        /// The number of running repairs. The response to a list waits for their commands.
        var repairs = 0
        var requests: [Request] = []
        /// Whether a repair ended without an answer, and continues with the next list.
        var isRepairPending = false
    }

    private struct State {
        /// Phones that have sent a list or received commands. Nothing is stored about phones that send only positions.
        var phones: [String: Phone] = [:]
        var lastID = 0
        var patience: Double
        var broker: (@Sendable (MQTTMessage, @escaping @Sendable (Bool) -> Void) -> Void)?
        var repair: (@Sendable (_ device: String) -> Void)?
    }

    private let state: Mutex<State>
    /// The time for which commands are not repeated automatically to a phone that does not answer.
    private static let repetition = Duration.seconds(600)
    /// Seconds for which the response to a request waits for the commands of a repair.
    private static let longestAnswer = 5.0

    /// - Parameter patience: Seconds within which a phone has to answer a command.
    ///
    package init(patience: Double = 10) { state = Mutex(State(patience: patience)) }

    /// Seconds within which a phone has to answer a command.
    var patience: Double {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    // MARK: - Configuration

    /// Sets the function that publishes a message at the broker; nil if there is no broker. `publish` reports whether the broker has
    /// accepted the message.
    func use(broker publish: (@Sendable (MQTTMessage, @escaping @Sendable (Bool) -> Void) -> Void)?) {
        state.withLock { $0.broker = publish }
    }

    /// Sets the function that continues a pending repair after the phone has sent its list.
    package func use(repair: @escaping @Sendable (_ device: String) -> Void) { state.withLock { $0.repair = repair } }

    // MARK: - Messages from phones

    /// Handles a message of a device after it was stored.
    ///
    /// - Parameter isList: Whether the message contains the list of waypoints.
    package func messageStored(of device: String, via way: PhoneChannel, isList: Bool) {
        let (readers, repair) = state.withLock { state -> ([ListWaiter], (@Sendable (String) -> Void)?) in
            guard var phone = state.phones[device] ?? (isList ? Phone() : nil) else { return ([], nil) }
            defer { state.phones[device] = phone }
            phone.channel = way
            phone.askedAt = nil
            // The same commands were also published at the broker.
            if case .broker = way { phone.commands = [] }
            guard isList else { return ([], nil) }
            phone.lists += 1
            let count = phone.lists
            let ready = phone.readers.filter { $0.after < count }
            phone.readers.removeAll { $0.after < count }
            guard phone.isRepairPending, ready.isEmpty else { return (ready, nil) }
            phone.isRepairPending = false
            // The response waits for the repair.
            if state.repair != nil { phone.repairs += 1 }
            return (ready, state.repair)
        }
        for reader in readers { reader.resume(true) }
        repair?(device)
    }

    /// Responds to a device's request with the commands for it. After a list of waypoints, the response waits for a running repair, so that
    /// it can contain the repair's commands.
    package func respond(to device: String, isList: Bool, _ answer: @escaping @Sendable ([JSONValue]) -> Void) {
        let (commands, id): ([JSONValue]?, Int) = state.withLock { state in
            guard var phone = state.phones[device] else { return ([], 0) }
            defer { state.phones[device] = phone }
            if isList, phone.repairs > 0, phone.commands.isEmpty {
                state.lastID += 1
                phone.requests.append(Request(id: state.lastID, answer: answer))
                return (nil, state.lastID)
            }
            defer { phone.commands = [] }
            return (phone.commands, 0)
        }
        if let commands { return answer(commands) }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.longestAnswer) { [weak self] in
            let late = self?.state.withLock { state -> (@Sendable ([JSONValue]) -> Void)? in
                guard let index = state.phones[device]?.requests.firstIndex(where: { $0.id == id }) else { return nil }
                return state.phones[device]?.requests.remove(at: index).answer
            }
            late?([])
        }
    }

    // MARK: - Repairs

    /// Whether a device received a command recently and has sent nothing since. A broker stores commands for a phone that is not connected,
    /// so repeating them would flood the phone later.
    func isAwaitingAnswer(_ device: String) -> Bool {
        state.withLock { $0.phones[device]?.askedAt.map { .now - $0 < Self.repetition } ?? false }
    }

    /// Records that a repair of a device begins.
    func beginRepair(_ device: String) {
        state.withLock { $0.phones[device, default: Phone()].repairs += 1 }
    }

    /// Marks an interrupted repair, so that it continues with the phone's next list.
    func resumeRepair(of device: String) { state.withLock { $0.phones[device, default: Phone()].isRepairPending = true } }

    /// Records that a repair has ended.
    ///
    /// - Parameter isPending: Whether the phone did not answer, so that the repair continues with its next list.
    func endRepair(_ device: String, isPending: Bool) {
        let requests = state.withLock { state -> [Request] in
            var phone = state.phones[device] ?? Phone()
            defer { state.phones[device] = phone }
            phone.repairs = max(0, phone.repairs - 1)
            phone.isRepairPending = isPending
            guard phone.repairs == 0 else { return [] }
            defer { phone.requests = [] }
            return phone.requests
        }
        for request in requests { request.answer([]) }
    }

    /// Sends commands to a device, and waits for the list that it sends afterward. Returns false if no list arrives in time.
    func requestList(_ device: String, _ commands: [JSONValue]) async -> Bool {
        let before = state.withLock { $0.phones[device]?.lists ?? 0 }
        guard await sendCommands(device, commands) else { return false }
        if await waitForList(of: device, after: before) { return true }
        discardChanges(for: device)
        return false
    }

    /// Removes all commands for a device's next request except the request for the list, because other changes may be necessary by then.
    private func discardChanges(for device: String) {
        state.withLock { state in
            if let question = state.phones[device]?.commands.last { state.phones[device]?.commands = [question] }
        }
    }

    /// Sends commands to a device, the last of which requests its list. They are sent in the way in which the device last sent something;
    /// if that is unknown, in both ways.
    ///
    /// - Returns: Whether the commands were sent or queued.
    @discardableResult
    func sendCommands(_ device: String, _ commands: [JSONValue]) async -> Bool {
        let way = state.withLock { state in
            state.phones[device, default: Phone()].askedAt = .now
            return state.phones[device]?.channel
        }
        switch way {
        case .broker(let topic)?: return await publish(commands, below: topic)
        case .request?: queue(commands, for: device)
        case nil:
            queue(commands, for: device)
            _ = await publish(commands, below: "owntracks/\(device)")
        }
        return true
    }

    private func publish(_ commands: [JSONValue], below topic: String) async -> Bool {
        for command in commands where await !publish(MQTTMessage(topic + "/cmd", command.description)) { return false }
        return true
    }

    private func publish(_ message: MQTTMessage) async -> Bool {
        guard let broker = state.withLock({ $0.broker }) else { return false }
        return await withCheckedContinuation { continuation in broker(message) { continuation.resume(returning: $0) } }
    }

    /// Adds commands to the response of a waiting request, or of the next one.
    private func queue(_ commands: [JSONValue], for device: String) {
        let request = state.withLock { state -> (@Sendable ([JSONValue]) -> Void)? in
            var phone = state.phones[device] ?? Phone()
            defer { state.phones[device] = phone }
            if !phone.requests.isEmpty { return phone.requests.removeFirst().answer }
            // A request for the list need not be queued twice.
            if commands.count > 1 || phone.commands.isEmpty { phone.commands = commands }
            return nil
        }
        request?(commands)
    }

    /// Waits until more than `count` lists have arrived. Returns false if that takes too long.
    private func waitForList(of device: String, after count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let resume: @Sendable (Bool) -> Void = { continuation.resume(returning: $0) }
            let id: Int? = state.withLock { state in
                var phone = state.phones[device] ?? Phone()
                defer { state.phones[device] = phone }
                guard phone.lists <= count else { return nil }
                state.lastID += 1
                phone.readers.append(ListWaiter(id: state.lastID, after: count, resume: resume))
                return state.lastID
            }
            guard let id else { return resume(true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in
                let late = self?.state.withLock { state -> (@Sendable (Bool) -> Void)? in
                    guard let index = state.phones[device]?.readers.firstIndex(where: { $0.id == id }) else { return nil }
                    return state.phones[device]?.readers.remove(at: index).resume
                }
                late?(false)
            }
        }
    }
}
