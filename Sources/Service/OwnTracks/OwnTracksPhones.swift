import Dispatch
import Model
import MQTT
import Synchronization

/// How the phones with an OwnTracks app are reached: commands go to `/cmd` at the broker, or into the answer to the phone's next
/// request. Also who waits for what a phone sends.
public final class OwnTracksPhones: Sendable {
    /// How a phone was heard last.
    public enum Channel: Hashable, Sendable {
        /// At the broker, by the topic on which the phone publishes its positions.
        case broker(topic: String)
        /// By a request.
        case request
    }

    /// Who waits for a list.
    private struct Reader {
        var id: Int
        /// How many lists had come before.
        var after: Int
        var resume: @Sendable (Bool) -> Void
    }

    /// A request that is not answered yet.
    private struct Request {
        var id: Int
        var answer: @Sendable ([JSONValue]) -> Void
    }

    private struct Phone {
        var way: Channel?
        /// Commands for the next answer.
        var commands: [JSONValue] = []
        /// When it was sent something to which it has not answered; nil when it was heard since.
        var askedAt: ContinuousClock.Instant?
        /// How many lists have come.
        var lists = 0
        var readers: [Reader] = []
        /// Repairs under way. The answer to a list waits for what they have to say about it.
        var repairs = 0
        var requests: [Request] = []
        /// Whether a repair ended for want of an answer, and goes on with the next list.
        var isRepairPending = false
    }

    private struct State {
        /// Those that have sent a list, or were sent commands. Of the many that only send positions nothing is kept.
        var phones: [String: Phone] = [:]
        var lastID = 0
        var patience: Double
        var broker: (@Sendable (MQTTMessage, @escaping @Sendable (Bool) -> Void) -> Void)?
        var repair: (@Sendable (_ device: String) -> Void)?
    }

    private let state: Mutex<State>
    /// How long a phone that is not heard is not asked again, except by a person.
    private static let repetition = Duration.seconds(600)
    /// Seconds for which the answer to a request waits for the commands of a repair.
    private static let longestAnswer = 5.0

    /// - Parameter patience: Seconds within which a phone has to answer a command.
    public init(patience: Double = 10) { state = Mutex(State(patience: patience)) }

    /// Seconds within which a phone has to answer a command.
    var patience: Double {
        get { state.withLock { $0.patience } }
        set { state.withLock { $0.patience = newValue } }
    }

    // MARK: - The service

    /// Sends what is for phones at the broker from now on; nil: there is none. `publish` tells whether the broker has the message.
    public func use(broker publish: (@Sendable (MQTTMessage, @escaping @Sendable (Bool) -> Void) -> Void)?) {
        state.withLock { $0.broker = publish }
    }

    /// Has a repair that waits for a phone begun again when the phone has sent its list.
    public func use(repair: @escaping @Sendable (_ device: String) -> Void) { state.withLock { $0.repair = repair } }

    // MARK: - What phones send

    /// Notes that a device has sent something that is kept by now.
    ///
    /// - Parameter isList: Whether its list of waypoints is among it.
    public func heard(_ device: String, by way: Channel, isList: Bool) {
        let (readers, repair) = state.withLock { state -> ([Reader], (@Sendable (String) -> Void)?) in
            guard var phone = state.phones[device] ?? (isList ? Phone() : nil) else { return ([], nil) }
            defer { state.phones[device] = phone }
            phone.way = way
            phone.askedAt = nil
            // They were sent to the broker too.
            if case .broker = way { phone.commands = [] }
            guard isList else { return ([], nil) }
            phone.lists += 1
            let count = phone.lists
            let ready = phone.readers.filter { $0.after < count }
            phone.readers.removeAll { $0.after < count }
            guard phone.isRepairPending, ready.isEmpty else { return (ready, nil) }
            phone.isRepairPending = false
            // The answer waits for it.
            if state.repair != nil { phone.repairs += 1 }
            return (ready, state.repair)
        }
        for reader in readers { reader.resume(true) }
        repair?(device)
    }

    /// Answers a device's request with the commands that are for it. After a list of waypoints the answer waits for a repair that is under
    /// way, because what it finds is best said at once.
    public func answer(_ device: String, isList: Bool, _ answer: @escaping @Sendable ([JSONValue]) -> Void) {
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

    /// Whether a device was sent something a short while ago, and was not heard since. A broker keeps what a phone does not fetch, so asking
    /// again and again would flood the phone when it is back.
    func isUnanswered(_ device: String) -> Bool {
        state.withLock { $0.phones[device]?.askedAt.map { .now - $0 < Self.repetition } ?? false }
    }

    /// Notes that a repair of a device begins.
    func beginRepair(_ device: String) {
        state.withLock { $0.phones[device, default: Phone()].repairs += 1 }
    }

    /// Has a repair that was interrupted go on with the phone's next list.
    func resumeRepair(of device: String) { state.withLock { $0.phones[device, default: Phone()].isRepairPending = true } }

    /// Notes that it has ended.
    ///
    /// - Parameter isPending: Whether the phone did not answer, so that it goes on with the phone's next list.
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

    /// Sends commands to a device, and waits for the list that it sends after them; false when none comes in time.
    func askForList(_ device: String, _ commands: [JSONValue]) async -> Bool {
        let before = state.withLock { $0.phones[device]?.lists ?? 0 }
        guard await ask(device, commands) else { return false }
        if await list(of: device, after: before) { return true }
        forgetChanges(of: device)
        return false
    }

    /// Leaves only the question for the list to a device's next request. Until that comes, other changes may be the right ones.
    private func forgetChanges(of device: String) {
        state.withLock { state in
            if let question = state.phones[device]?.commands.last { state.phones[device]?.commands = [question] }
        }
    }

    /// Sends commands to a device, the last of them a question for its list: as it was heard last, or both ways when it was not heard
    /// yet.
    ///
    /// - Returns: Whether they are on their way.
    @discardableResult
    func ask(_ device: String, _ commands: [JSONValue]) async -> Bool {
        let way = state.withLock { state in
            state.phones[device, default: Phone()].askedAt = .now
            return state.phones[device]?.way
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

    /// Puts commands into the answer to a request that waits, or into the next one.
    private func queue(_ commands: [JSONValue], for device: String) {
        let request = state.withLock { state -> (@Sendable ([JSONValue]) -> Void)? in
            var phone = state.phones[device] ?? Phone()
            defer { state.phones[device] = phone }
            if !phone.requests.isEmpty { return phone.requests.removeFirst().answer }
            // The same question need not be asked twice.
            if commands.count > 1 || phone.commands.isEmpty { phone.commands = commands }
            return nil
        }
        request?(commands)
    }

    private func list(of device: String, after count: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let resume: @Sendable (Bool) -> Void = { continuation.resume(returning: $0) }
            let id: Int? = state.withLock { state in
                var phone = state.phones[device] ?? Phone()
                defer { state.phones[device] = phone }
                guard phone.lists <= count else { return nil }
                state.lastID += 1
                phone.readers.append(Reader(id: state.lastID, after: count, resume: resume))
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
