import Model

/// The result of an intake of positions, with details where a number is not enough.
package struct IntakeResult: Sendable {
    package var counts = IntakeCounts()
    package var events: [Event] = []
    package var refusals: [Refusal] = []
    /// The times of the positions that had no offset from UTC.
    package var timesWithoutZone = TimesWithoutZone()
    /// Why a simulated phone could not process the fixes. The fixes are stored and evaluated nevertheless.
    package var phoneProblem: Problem?
    /// The devices whose OwnTracks app has sent its list of waypoints.
    package var listedDevices: Set<String> = []

    package init() {}

    /// The maximum number of refusals that are kept for a request.
    package static let maxRefusals = 10_000

    /// Adds the result for later positions of the same request.
    package mutating func add(_ part: IntakeResult) {
        counts.add(part.counts)
        events += part.events
        refusals += part.refusals
        timesWithoutZone.add(part.timesWithoutZone)
        phoneProblem = phoneProblem ?? part.phoneProblem
        listedDevices.formUnion(part.listedDevices)
    }
}
