import Core
import Model
import Timeline

/// A replay that a person requests: evaluates devices one after the other.
package struct RequestedReplayJob: LongJob {
    /// The result so far.
    package private(set) var answer: ReplayAnswer
    package private(set) var needs: [LongJobNeed]
    /// The devices that are not evaluated yet.
    private var devices: ArraySlice<String>
    /// The request to evaluate with the current geofences, and these as they were last read; nil for those of the time.
    private let correction: PastCorrection?
    private var backdating: Backdating?
    private let since: Instant?
    private let limit: Int

    /// The number of inputs that a step evaluates, which takes a few milliseconds.
    package static let inputsInStep = 5000

    /// Evaluates by the geofences of the time.
    ///
    /// - Parameter since: The first moment that counts; nil for all stored fixes.
    package init(_ plan: Queries.ReplayPlan, since: Instant?, limit: Int = inputsInStep) {
        (correction, self.since, self.limit) = (nil, since, limit)
        (devices, needs, answer) = (plan.devices[...], [.order], ReplayAnswer(counts: plan.counts))
    }

    /// Evaluates with the current geofences.
    package init(_ plan: Queries.ReplayPlan, _ correction: PastCorrection, limit: Int = inputsInStep) {
        (self.correction, since, self.limit) = (correction, correction.since, limit)
        (devices, needs, answer) = (plan.devices[...], [.order], ReplayAnswer(ofPast: plan.counts))
    }

    package mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        needs = []
        guard let id = devices.first else { return false }
        let before = answer.counts.retracted + answer.counts.new
        if let correction {
            let finding = try service.correctPastStep(correction, &backdating, device: id, limit: limit)
            guard let finding else { return true }
            answer.add(finding)
        } else {
            guard let done = try service.replayStep(device: id, since: since, limit: limit) else { return true }
            answer.counts.add(done.counts)
            answer.events += done.events
        }
        devices.removeFirst()
        // Writes the indexes of many new events in parts. Otherwise the next device's replay would write them all at once.
        if answer.counts.retracted + answer.counts.new > before + 1000 { needs = [.derivedData] }
        return !devices.isEmpty
    }
}
