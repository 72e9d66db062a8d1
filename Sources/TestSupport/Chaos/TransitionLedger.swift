/// Compares what an app learns with what a phone with every geofence registered reports, as it happens.
///
/// A transition counts as reported if the app believes its state at some time before the next transition of its geofence.
struct TransitionLedger: Sendable {
    private(set) var reported = 0
    private(set) var missed: [ReferencePhone.ExpectedTransition] = []
    /// The latest transition of each geofence, unless it is reported already.
    private var open: [String: ReferencePhone.ExpectedTransition] = [:]

    /// Records a transition.
    ///
    /// - Parameter believed: Whether the app believes the device to be in the geofence.
    mutating func record(_ transition: ReferencePhone.ExpectedTransition, believed: Bool) {
        close(transition.geofence)
        if believed == transition.isEnter {
            reported += 1
        } else {
            open[transition.geofence] = transition
        }
    }

    /// The app learned whether the device is in a geofence.
    mutating func learn(_ geofence: String, isInside: Bool) {
        guard let transition = open[geofence], transition.isEnter == isInside else { return }
        reported += 1
        open[geofence] = nil
    }

    /// The geofence was edited or removed, so its open transition no longer matters.
    mutating func forget(_ geofence: String) { close(geofence) }

    /// Nothing more can be learned.
    mutating func finish() { for geofence in open.keys.sorted() { close(geofence) } }

    private mutating func close(_ geofence: String) {
        if let transition = open.removeValue(forKey: geofence) { missed.append(transition) }
    }
}
