import Core
import Model

/// The replays of late fixes that are due, one device after the other.
package struct LateReplayJob: LongJob {
    package private(set) var needs: [LongJobNeed] = []
    /// The result for the device whose replay the last step has finished; nil if it has finished none.
    package private(set) var done: ReplayCounts?

    package init() {}

    package mutating func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        done = nil
        let now = service.clock.now()
        if needs.isEmpty, try service.lateReplayNeedsOrder(at: now) {
            needs = [.order]
            return true
        }
        needs = []
        let step = try service.replayLate(at: now)
        done = step.done?.counts
        return step.hasMore
    }
}
