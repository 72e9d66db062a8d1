import Model

/// A removal of positions that is done in steps.
package struct OngoingPositionRemoval: Sendable {
    /// The result so far.
    package internal(set) var removal: PositionRemoval
    /// Whether the device is evaluated again from now on, because all positions are removed.
    var isEvaluating = false

    package init(ofDevice id: String, since moment: Instant) {
        removal = PositionRemoval(deviceId: id, since: moment, positions: 0, retracted: 0, new: 0)
    }
}
