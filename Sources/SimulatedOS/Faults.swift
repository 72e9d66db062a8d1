import Registry

/// What goes wrong: faults that wait for the next call of their kind, and chaos that makes them up as it goes.
public struct Faults: Hashable, Sendable {
    /// One thing that goes wrong once.
    public enum Fault: Hashable, Sendable {
        /// The next `startMonitoring` fails so.
        case refuse(RegistryError.Code)
        /// The next `startMonitoring` returns normally, registers nothing and tells nothing.
        case loseStart
        /// The next `stopMonitoring` returns normally and removes nothing.
        case loseStop
        /// The next `snapshot` gives no answer.
        case noAnswer
        /// The next `requestState` gives no answer.
        case noState
        /// The next enter or exit is not told.
        case loseReport
        /// The next enter or exit is told so many seconds late.
        case delayReport(Double)
    }

    /// Random faults, repeatable by the seed of the simulation.
    public struct Chaos: Hashable, Sendable {
        /// How many of the calls and reports go wrong, 0 … 1.
        public var rate: Double
        /// How many of the fixes bring a misfortune between two calls: a region dropped, drifted, deafened, no longer watched,
        /// or another SDK's added; 0 … 1.
        public var misfortunes: Double
        /// At most so many calls of one kind about one region go wrong in a row, so that patience wins.
        public var streak: Int

        public init(rate: Double, misfortunes: Double = 0, streak: Int = 3) {
            self.rate = rate
            self.misfortunes = misfortunes
            self.streak = streak
        }
    }

    /// Injected one at a time; each is used up by the call it waits for, in this order.
    public var next: [Fault] = []
    public var chaos: Chaos?
    /// How many calls of a kind about a region chaos has spoilt in a row.
    var spoilt: [String: Int] = [:]

    public init(next: [Fault] = [], chaos: Chaos? = nil) {
        self.next = next
        self.chaos = chaos
    }
}

extension Faults.Fault: LosslessStringConvertible {
    /// As the command line and the saved state write it: `refuse kCLErrorRegionMonitoringFailure`, `loseStop`, `delayReport 30`.
    public var description: String {
        switch self {
        case .refuse(let code): "refuse \(code.name)"
        case .loseStart: "loseStart"
        case .loseStop: "loseStop"
        case .noAnswer: "noAnswer"
        case .noState: "noState"
        case .loseReport: "loseReport"
        case .delayReport(let seconds): "delayReport \(seconds)"
        }
    }

    /// Reads the same; a code may also be given by its number.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count > 1 ? parts[1] : nil) {
        case ("loseStart", nil): self = .loseStart
        case ("loseStop", nil): self = .loseStop
        case ("noAnswer", nil): self = .noAnswer
        case ("noState", nil): self = .noState
        case ("loseReport", nil): self = .loseReport
        case ("delayReport", let seconds?):
            guard let seconds = Double(seconds), seconds >= 0, seconds <= 86_400 else { return nil }
            self = .delayReport(seconds)
        case ("refuse", let code?):
            if let number = Int(code) {
                guard let known = RegistryError.Code.known.first(where: { $0.number == number }) else { return nil }
                self = .refuse(known)
            } else {
                self = .refuse(RegistryError.Code(name: code))
            }
        default: return nil
        }
    }
}

extension SimulatedOS {
    /// Whether a fault of this kind strikes now.
    mutating func takesFault(_ fault: Faults.Fault, about id: RegionID? = nil) -> Bool {
        if let index = faults.next.firstIndex(of: fault) {
            faults.next.remove(at: index)
            return true
        }
        return chaosStrikes(fault == .loseStart ? "start" : fault.description, id)
    }

    /// The code with which chaos or an injected fault refuses a registration now.
    mutating func takesRefusal(of id: RegionID) -> RegistryError.Code? {
        for (index, fault) in faults.next.enumerated() {
            guard case .refuse(let code) = fault else { continue }
            faults.next.remove(at: index)
            return code
        }
        guard chaosStrikes("start", id) else { return nil }
        let passing = profile.platform == .android ? RegistryError.Code.geofenceNotAvailable : .regionMonitoringFailure
        return (profile.delays.map(\.code) + [passing]).randomElement(using: &dice)
    }

    /// The seconds by which the next report is late.
    mutating func takesDelay() -> Double? {
        for (index, fault) in faults.next.enumerated() {
            guard case .delayReport(let seconds) = fault else { continue }
            faults.next.remove(at: index)
            return seconds
        }
        return nil
    }

    private mutating func chaosStrikes(_ call: String, _ id: RegionID?) -> Bool {
        guard let chaos = faults.chaos, chaos.rate > 0 else { return false }
        let key = id.map { "\(call) \($0.text)" } ?? call
        if faults.spoilt[key, default: 0] < chaos.streak, dice.falls(chaos.rate) {
            faults.spoilt[key, default: 0] += 1
            return true
        }
        // A registration has two ways to fail, and is through only after the second.
        if call != "start" { faults.spoilt[key] = nil }
        return false
    }

    /// What chaos does between two calls.
    mutating func misfortune() {
        guard let chaos = faults.chaos, chaos.misfortunes > 0, dice.falls(chaos.misfortunes) else { return }
        let ours = held.keys.filter(\.isOurs).sorted()
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: if let id = ours.randomElement(using: &dice) { drop([id]) }
        case 1: if let id = ours.randomElement(using: &dice) { drift(id, metres: Double.random(in: 1...500, using: &dice)) }
        case 2: if let id = ours.randomElement(using: &dice) { deafen(id) }
        case 3: if let id = ours.randomElement(using: &dice) { zombify(id) }
        default:
            if let lastFix {
                let name = "com.other.sdk/\(UInt32.random(in: 0...UInt32.max, using: &dice))"
                add(Region(id: RegionID(name), circle: .init(center: lastFix.coordinate, radius: 200)))
            }
        }
    }
}
