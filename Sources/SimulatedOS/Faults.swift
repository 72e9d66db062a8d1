import Model
import Registry

/// The faults of a simulated phone: injected faults, each waiting for the next matching call, and random faults.
package struct Faults: Hashable, Sendable {
    /// A fault that happens once.
    package enum Fault: Hashable, Sendable {
        /// The next `startMonitoring` fails with this code.
        case refuse(RegistryError.Code)
        /// The next `startMonitoring` returns normally, but registers nothing and reports nothing.
        case loseStart
        /// The next `stopMonitoring` returns normally, but removes nothing.
        case loseStop
        /// The next `snapshot` gives no answer.
        case noAnswer
        /// The next `requestState` gives no answer.
        case noState
        /// The next enter or exit is not reported.
        case loseReport
        /// The next enter or exit is reported late by this many seconds.
        case delayReport(Double)
    }

    /// Random faults, reproducible from the simulation's seed.
    package struct Chaos: Hashable, Sendable {
        /// The share of calls and reports that fail, from 0 to 1.
        package var rate: Double
        /// The share of fixes that damage a region: it is dropped, drifts, loses its notifications, is no longer watched, or a region of
        /// another SDK is added. From 0 to 1.
        package var misfortunes: Double
        /// The maximum number of consecutive failures of calls of one kind for one region, so that repeated attempts succeed.
        package var streak: Int

        package init(rate: Double, misfortunes: Double = 0, streak: Int = 3) {
            self.rate = rate
            self.misfortunes = misfortunes
            self.streak = streak
        }
    }

    /// The injected faults. Each is removed by the first matching call; of several matching faults, the first one applies.
    package var next: [Fault] = []
    /// Random faults; nil for none.
    package var chaos: Chaos?
    /// The number of consecutive calls that random faults made fail, by kind of call and region.
    var consecutiveFailures: [String: Int] = [:]

    package init() {}
}

extension Faults.Fault: LosslessStringConvertible {
    /// The fault as the command line and the saved state write it, for example `refuse kCLErrorRegionMonitoringFailure`, `loseStop` or
    /// `delayReport 30`.
    package var description: String {
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

    /// How late a report may be, in seconds.
    package static let delays = 0.0...86_400

    /// Reads the output of `description`. A code may also be given by its number.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        switch (parts.first, parts.count > 1 ? parts[1] : nil) {
        case ("loseStart", nil): self = .loseStart
        case ("loseStop", nil): self = .loseStop
        case ("noAnswer", nil): self = .noAnswer
        case ("noState", nil): self = .noState
        case ("loseReport", nil): self = .loseReport
        case ("delayReport", let seconds?):
            guard let delay = TimeSpan(seconds, acceptsBareSeconds: true), Self.delays.contains(delay.seconds) else { return nil }
            self = .delayReport(delay.seconds)
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
    /// Whether the given fault happens now. An injected fault is used up.
    mutating func consumeFault(_ fault: Faults.Fault, about id: RegionID? = nil) -> Bool {
        if let index = faults.next.firstIndex(of: fault) {
            faults.next.remove(at: index)
            return true
        }
        return randomFaultHappens(fault == .loseStart ? "start" : fault.description, id)
    }

    /// The code with which a registration fails now because of an injected or random fault; nil if it does not fail.
    mutating func consumeRefusal(of id: RegionID) -> RegistryError.Code? {
        for (index, fault) in faults.next.enumerated() {
            guard case .refuse(let code) = fault else { continue }
            faults.next.remove(at: index)
            return code
        }
        guard randomFaultHappens("start", id) else { return nil }
        let passing = profile.platform == .android ? RegistryError.Code.geofenceNotAvailable : .regionMonitoringFailure
        return (profile.delays.map(\.code) + [passing]).randomElement(using: &random)
    }

    /// The seconds by which the next report is late because of an injected fault; nil if it is not late.
    mutating func consumeReportDelay() -> Double? {
        for (index, fault) in faults.next.enumerated() {
            guard case .delayReport(let seconds) = fault else { continue }
            faults.next.remove(at: index)
            return seconds
        }
        return nil
    }

    /// Whether a random fault happens in a call.
    private mutating func randomFaultHappens(_ call: String, _ id: RegionID?) -> Bool {
        guard let chaos = faults.chaos, chaos.rate > 0 else { return false }
        let key = id.map { "\(call) \($0.text)" } ?? call
        if faults.consecutiveFailures[key, default: 0] < chaos.streak, random.falls(chaos.rate) {
            faults.consecutiveFailures[key, default: 0] += 1
            return true
        }
        // Two random faults can make a registration fail, so `startMonitoring` resets its count itself after both were passed.
        if call != "start" { faults.consecutiveFailures[key] = nil }
        return false
    }

    /// Damages a region with the probability `Chaos.misfortunes`.
    mutating func damageRandomRegion() {
        guard let chaos = faults.chaos, chaos.misfortunes > 0, random.falls(chaos.misfortunes) else { return }
        let ours = heldRegions.keys.filter(\.isOurs).sorted()
        switch Int.random(in: 0..<5, using: &random) {
        case 0: if let id = ours.randomElement(using: &random) { dropRegions([id]) }
        case 1: if let id = ours.randomElement(using: &random) { drift(id, meters: Double.random(in: 1...500, using: &random)) }
        case 2: if let id = ours.randomElement(using: &random) { deafen(id) }
        case 3: if let id = ours.randomElement(using: &random) { zombify(id) }
        default:
            if let lastFix {
                let name = "com.other.sdk/\(UInt32.random(in: 0...UInt32.max, using: &random))"
                add(Region(id: RegionID(name), circle: .init(center: lastFix.coordinate, radius: 200)))
            }
        }
    }
}

extension SplitMix64 {
    /// Returns true with the given probability, from 0 to 1.
    fileprivate mutating func falls(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &self) < share }
}
