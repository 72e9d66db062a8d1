import Core
import Ingest
import Model
import Presence

/// Where a feed passes its positions: to the store, or to a running service. The positions stay typed on their way into the store, because
/// reading JSON would take longer than evaluating them.
package protocol FeedTarget: AnyObject {
    /// Completes the options for decoding positions: the clock, and the zone of each device if the zone is undecided.
    func completed(_ options: DecodingOptions) throws(Problem) -> DecodingOptions

    /// Starts the intake of the positions of one input.
    ///
    /// - Parameter policy: The decision policy that the input's devices get; nil to keep their policies.
    func makePositionSink(policy: PolicyOverride?) throws(Problem) -> any PositionSink

    /// Replays the late fixes that are waiting for it. A running service does this automatically.
    ///
    /// - Parameters:
    ///   - all: Whether to replay all of them now instead of waiting for further late fixes.
    ///   - report: Called with the resulting events after they are on disk.
    func replayLate(all: Bool, _ report: ([Event]) -> Void) throws(Problem) -> ReplayCounts
}

extension ServiceWriter: FeedTarget {
    package func completed(_ options: DecodingOptions) throws(Problem) -> DecodingOptions {
        var options = options
        options.clock = clock
        if case .undecided = options.timeZone {
            var zones: [String: LocalTimeZone] = [:]
            for device in try devices() { zones[device.id] = device.inputZone }
            options.timeZone = .ofDevices { [zones] in zones[$0] }
        }
        return options
    }

    package func makePositionSink(policy: PolicyOverride?) -> any PositionSink {
        PositionIntake(service: self, policy: policy)
    }
}
