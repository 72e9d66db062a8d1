/// The calls that an app has made to the operating system.
package struct RegistryCalls: Hashable, Sendable {
    package var start = 0
    package var stop = 0
    package var requestState = 0
    /// The registrations that the operating system refused, at once or later.
    package var refused = 0

    package var total: Int { start + stop + requestState }

    mutating func add(_ more: RegistryCalls) {
        start += more.start
        stop += more.stop
        requestState += more.requestState
        refused += more.refused
    }
}
