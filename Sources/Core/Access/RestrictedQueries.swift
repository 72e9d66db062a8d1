import Model
import Store

// Queries of clients with a restricted token. `PicketStore.withDevices(of:_:)` hides devices and everything about them. Geofences and rules
// belong to no device: `Places` leaves out those that are for other devices only, and the others do not name them.

extension StoreEpochs {
    /// Checks a cursor like `check(_:newest:)`, for a client from whom the number of events is hidden: any number may be that of an event.
    ///
    /// - Throws: `Problem.cursorGone`.
    package func checkRestricted(_ cursor: EventCursor) throws(Problem) -> Int64 {
        do throws(Problem) {
            return try check(cursor, newest: .max)
        } catch {
            guard case .cursorGone(let cursor, let reason, let resume, _) = error else { throw error }
            throw .cursorGone(cursor: cursor, reason: reason, resume: resume, newest: resume.sequence)
        }
    }
}

extension Queries {
    /// Whether devices outside of a scope are hidden now.
    package var isRestricted: Bool { store.visibility != nil }

    /// Runs `body` while devices outside of a scope do not exist for these queries.
    ///
    /// - Parameter scope: Nil for all devices.
    package func restricted<Result>(
        to scope: DeviceScope?, _ body: (Queries) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        guard let scope, hasStore else { return try body(self) }
        return try store.withDevices(of: scope) { () throws(Problem) in try body(self) }
    }

    /// The problem of the store itself, which concerns those who see all devices.
    var shownStoreProblem: StoreProblem? { isRestricted ? nil : storeProblem }
}
