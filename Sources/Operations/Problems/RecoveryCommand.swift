import Core
import Delivery
import Model

/// The commands that perform the recovery actions of problems.
package enum RecoveryCommand {
    /// Synchronizes the clock of a machine with systemd.
    static let clockSynchronization = "timedatectl set-ntp true"

    /// The command that performs a problem's recovery action; nil when no command does.
    ///
    /// - Parameters:
    ///   - problem: The problem; nil when only a newer version of Picket knows it.
    ///   - id: The id of the problem in the journal; nil if it is not known.
    ///   - source: The source of the problem; see `ProblemSource`.
    package static func command(
        _ action: Problem.RecoveryAction?, for problem: Problem?, id: String?, source: String
    ) -> String? {
        let origin = ProblemSource(source)
        if action == .dismiss { return id.map { "picket problems dismiss \($0)" } }
        if let sink = origin.sinkID { return command(action, sink: sink, origin.sinkPart, status: problem?.peerStatus) }
        switch (action, origin.deviceID?.shellQuoted) {
        case (.fixRegistration?, let device?): return "picket fix-registration --device \(device)"
        case (.retry?, let device?) where source.hasPrefix(Queries.DeviceProblem.replay.rawValue):
            return "picket replay --device \(device) --apply"
        case (.editInput?, let device?): return correction(of: problem, device)
        // The broker's user and password are settings.
        case (.signIn?, _): return source == ProblemSource.broker ? "picket config" : "picket token create NAME --role ROLE"
        case (.retry?, nil) where source == ServiceWriter.clockSource: return Self.clockSynchronization
        default: return nil
        }
    }

    /// The command that corrects what a device sends; nil when no command does.
    private static func correction(of problem: Problem?, _ device: String) -> String? {
        switch problem {
        case .deviceAheadOfClock(_, let since?)?: "picket device positions remove \(device) --since \(since)"
        case .sharedDeviceID?: "picket device enroll ID"
        case .inputRefused(_, _, _, kind: .encrypted, _)?: "picket device edit \(device) --owntracks-key -"
        default: nil
        }
    }

    private static func command(
        _ action: Problem.RecoveryAction?, sink: String, _ part: Sink.Part?, status: Int?
    ) -> String? {
        switch (action, part) {
        case (_, .rejected?): "picket sink parked \(sink)"
        // SMTP authentication errors are 530 to 538; HTTP ones are 401 to 407.
        case (.signIn?, _): "picket sink edit \(sink) \((status ?? 0) >= 500 ? "--password" : "--sink-token") @FILE"
        case (.editInput?, .discovery?): "picket sink edit \(sink) --group LIST --geofence LIST"
        case (.editInput?, nil): "picket sink show \(sink)"
        case (.retry?, _): "picket sink test \(sink)"
        case (.fixRegistration?, _), (.openSettings?, _), (.grantAlways?, _), (.contactSupport?, _), (.dismiss?, _), (nil, _): nil
        }
    }
}
