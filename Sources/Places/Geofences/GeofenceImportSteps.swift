import Core
import Ingest
import Model
import Store
import Synchronization

/// Saves the geofences of an import in small transactions, between which the writer does other work.
///
/// First all geofences are staged, then saved part by part. If the service is stopped while they are staged, nothing has changed; if it is
/// stopped later, the rest is saved when the store is opened again.
///
/// The parts are saved on the writer's thread, one after the other.
package final class GeofenceImportSteps: Sendable {
    /// The number of geofences in a transaction that saves them. With more than `PicketStore.allDevicesThreshold`, each transaction would
    /// evaluate all devices.
    package static let savedInStep = PicketStore.allDevicesThreshold
    /// The number of geofences in a transaction that stages them.
    static let stagedInStep = 250

    private struct State {
        var plan: GeofenceImportPlan
        /// The number of staged geofences.
        var staged = 0
        /// The number of geofences that were saved or refused.
        var saved = 0
    }

    private let state: Mutex<State>
    /// Gets the events.
    private let following = FollowingEvents()

    package init(_ plan: consuming GeofenceImportPlan) { state = Mutex(State(plan: plan)) }

    /// The result of all steps. Must be read after the last one.
    package var imported: GeofenceFile.Imported {
        var imported = state.withLock { $0.plan.imported }
        imported.events += following.all
        return imported
    }

    /// Does the next step.
    ///
    /// - Returns: Whether it was the last one.
    package func proceed(_ service: ServiceWriter) throws(Problem) -> Bool {
        // Only the writer's thread locks it, so that there is no wait.
        let result: Result<Bool, Problem> = state.withLock { state in
            Result { () throws(Problem) in try proceed(&state, service) }
        }
        return try result.get()
    }

    private func proceed(_ state: inout State, _ service: ServiceWriter) throws(Problem) -> Bool {
        let count = state.plan.saves.count
        if count == 0 { return true }
        if state.staged < count {
            let end = min(state.staged + Self.stagedInStep, count)
            let part = (state.staged..<end).map { number in
                let save = state.plan.saves[number]
                return PicketStore.StagedGeofence(
                    number: Int64(number + 1), geofence: state.plan.entries[save.index].geofence,
                    isNewName: save.isNewName)
            }
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                try service.store.stage(part, in: transaction)
                if end == count { try service.store.setImportStaged(true, in: transaction) }
            }
            state.staged = end
            return false
        }
        let end = min(state.saved + Self.savedInStep, count)
        let saves = state.plan.saves[state.saved..<end]
        // Clients get one notice, because each makes a dashboard load the geofences again.
        let notice =
            end < count
            ? nil
            : ServiceNotice(
                of: state.plan.saves.prefix(ServiceNotice.mostGeofences).map { .save(state.plan.entries[$0.index].geofence) },
                count: count)
        let refusals = try service.saveStaged(
            saves.map { (state.plan.entries[$0.index].geofence, $0.isNewName) }, upTo: Int64(end), notice, following)
        state.saved = end
        for (index, refusal) in refusals {
            state.plan.refuse(
                saves[saves.startIndex + index].index, field: refusal.field, value: refusal.value, reason: refusal.reason)
        }
        return end == count
    }
}

extension ServiceWriter {
    /// Why a planned geofence cannot be saved anymore.
    struct LateRefusal {
        var field: String
        var value: String
        var reason: Phrase
    }

    /// Saves a part of the staged geofences, and removes it from them.
    ///
    /// - Parameters:
    ///   - geofences: The part, and of each geofence, whether it is refused if another one has its id.
    ///   - number: The number of the last one among the staged geofences.
    ///   - notice: What clients are notified of; nil for nothing.
    ///   - following: See `apply`.
    fileprivate func saveStaged(
        _ geofences: [(geofence: Geofence, isNewName: Bool)], upTo number: Int64, _ notice: ServiceNotice?,
        _ following: FollowingEvents
    ) throws(Problem) -> [(index: Int, LateRefusal)] {
        try completeFenceChange()
        return try transaction { (transaction: borrowing Transaction) throws(Problem) -> [(index: Int, LateRefusal)] in
            var edits: [GeofenceEdit] = []
            var refusals: [(index: Int, LateRefusal)] = []
            for (index, (geofence, isNewName)) in geofences.enumerated() {
                if let refusal = try lateRefusal(of: geofence, isNewName) {
                    refusals.append((index, refusal))
                } else {
                    edits.append(.save(geofence))
                }
            }
            try store.removeStaged(upTo: number, in: transaction)
            if try !store.hasStagedGeofences() { try store.setImportStaged(false, in: transaction) }
            if let notice { publish(notice) }
            _ = try applyChecked(edits, isAnnounced: false, following: following, in: transaction)
            return refusals
        }
    }

    /// Why a geofence cannot be saved because of edits since the import was planned; nil if it can.
    private func lateRefusal(of geofence: Geofence, _ isNewName: Bool) throws(Problem) -> LateRefusal? {
        let flaw = geofence.flawAsNew
        // Most geofences need not be looked up.
        if flaw == nil, !isNewName { return nil }
        guard let other = try knownGeofence(id: geofence.id) else {
            guard case .validationFailed(let field, let value, let reason, let expected)? = flaw else { return nil }
            return LateRefusal(field: field, value: value, reason: .expecting(reason, expected))
        }
        guard isNewName, other != geofence else { return nil }
        return LateRefusal(
            field: "id", value: other.id,
            reason: .expecting(.subject(GeofenceNaming.conflict(geofence, heldBy: other)), .ownIDOrReplace))
    }

    /// Saves the next part of the geofences that an interrupted import has left. If that import was not staged as a whole, they are removed.
    ///
    /// - Returns: Whether more are left.
    package func saveStagedGeofences(limit: Int) throws(Problem) -> Bool {
        let part = try store.stagedGeofences(limit: limit)
        guard let last = part.last else { return false }
        if try store.isImportStaged() {
            _ = try saveStaged(
                part.map { ($0.geofence, $0.isNewName) }, upTo: last.number, ServiceNotice(of: part.map { .save($0.geofence) }),
                FollowingEvents())
        } else {
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.removeStaged(upTo: .max, in: transaction)
            }
        }
        return try store.hasStagedGeofences()
    }

    /// Completes an import that was interrupted, before any request waits for the writer.
    func completeImport() throws(Problem) { while try saveStagedGeofences(limit: 5000) {} }
}
