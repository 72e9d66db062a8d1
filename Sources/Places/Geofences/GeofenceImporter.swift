import Core
import Geodesy
import Ingest
import Model

/// Creates the plan of an import: finds out which geofences are new or different, and which ids they get. It changes nothing.
///
/// Used once, on the thread of the store.
struct GeofenceImporter {
    /// The plan that is being made, in which accepted geofences are looked up.
    private final class Draft {
        struct Accepted {
            /// The index of the entry in `plan.entries`.
            var index: Int
            /// The index of the entry that is saved under the id; nil if none differs from the geofence on record.
            var saved: Int?
        }

        var plan: GeofenceImportPlan
        /// By id.
        var accepted: [String: Accepted] = [:]

        init(_ plan: GeofenceImportPlan) { self.plan = plan }

        func geofence(id: String) -> Geofence? { accepted[id].map { plan.entries[$0.index].geofence } }
    }

    private let queries: Queries
    private let options: GeofenceFile.ImportOptions
    private let repaired: Set<Int>
    private let outlineNotes: [Int: GeofenceNote]
    private let draft: Draft
    private var naming: GeofenceNaming
    /// Whether a geofence has no id, so that accepted ones are searched by their names.
    private let needsNames: Bool
    /// The indexes of entries whose id was made from their name because no geofence had it.
    private var newNames: Set<Int> = []

    init(_ file: PreparedGeofences, source: String, into queries: Queries, _ options: GeofenceFile.ImportOptions) {
        self.queries = queries
        self.options = options
        repaired = file.repaired
        outlineNotes = file.notes
        let draft = Draft(GeofenceImportPlan(source: source, entries: file.entries))
        draft.plan.imported.refusals = file.refusals
        draft.plan.imported.remarks = file.remarks
        self.draft = draft
        needsNames = file.entries.contains { $0.idSource != .given }
        naming = GeofenceNaming(
            known: { id throws(Problem) in
                if let accepted = draft.geofence(id: id) { return accepted }
                return try queries.knownGeofence(id: id)
            },
            named: { name throws(Problem) in try queries.geofences(named: name) })
    }

    mutating func run() throws(Problem) -> GeofenceImportPlan {
        // Ids that are given in the file have precedence over ids made from names, regardless of their order.
        for index in draft.plan.entries.indices where draft.plan.entries[index].idSource == .given {
            let geofence = draft.plan.entries[index].geofence
            let old = try queries.knownGeofence(id: geofence.id)
            if old == nil, case .validationFailed(let field, let value, let reason, let expected)? = geofence.flawAsNew {
                refuse(index, field, value, .expecting(reason, expected))
            } else {
                accept(index, replacing: old)
            }
        }
        for index in draft.plan.entries.indices where draft.plan.entries[index].idSource != .given { try assignID(index) }
        let entries = draft.plan.entries
        draft.plan.saves = draft.accepted.values.compactMap(\.saved)
            .map { .init(index: $0, isNewName: newNames.contains($0)) }
            .sorted { entries[$0.index].geofence.id < entries[$1.index].geofence.id }
        let places = draft.accepted.values.map(\.index).sorted().map { index in
            GeofenceSurroundings.Place(
                id: entries[index].geofence.id, isNamed: entries[index].idSource != .none,
                box: entries[index].geofence.shape.boundingBox)
        }
        for note in try queries.geofenceSurroundings().notes(on: places) { draft.plan.imported.notes.append(note) }
        return draft.plan
    }

    /// Accepts a geofence that has no id.
    private mutating func assignID(_ index: Int) throws(Problem) {
        let entry = draft.plan.entries[index]
        switch try naming.outcome(for: entry.geofence) {
        case .new(let id): rename(index, to: id)
        case .same(let other):
            draft.plan.entries[index].geofence = other
            accept(index, replacing: other)
        // A geofence without a name is not considered to be the same place as another one.
        case .taken(_, let next) where entry.idSource == .none: rename(index, to: next)
        case .taken(let other, let next):
            switch options.onConflict {
            case .refuse:
                let origin = draft.accepted[other.id].map { accepted in
                    (number: draft.plan.entries[accepted.index].index, line: draft.plan.entries[accepted.index].line)
                }
                refuse(
                    index, "id", other.id,
                    .expecting(
                        .subject(GeofenceNaming.conflict(entry.geofence, heldBy: other, at: origin)), .ownIDOrReplace))
            case .rename: rename(index, to: next)
            case .replace:
                draft.plan.entries[index].geofence.id = other.id
                let replacement = GeofenceFile.Imported.Replacement(old: other, new: draft.plan.entries[index].geofence)
                draft.plan.imported.replacements.append(replacement)
                accept(index, replacing: other)
            }
        }
    }

    /// Accepts a new geofence with a free id, and reports an id that is not the one made from the name.
    private mutating func rename(_ index: Int, to id: String) {
        let entry = draft.plan.entries[index]
        if id != entry.geofence.id, entry.idSource == .name {
            draft.plan.imported.renamed.append(.init(name: entry.geofence.name, wanted: entry.geofence.id, id: id))
        }
        draft.plan.entries[index].geofence.id = id
        newNames.insert(index)
        accept(index, replacing: nil)
    }

    private mutating func refuse(_ index: Int, _ field: String, _ value: String, _ reason: Phrase) {
        draft.plan.imported.refuse(draft.plan.entries[index], of: draft.plan.source, field: field, value: value, reason: reason)
    }

    /// Accepts a geofence with its final id.
    ///
    /// - Parameter old: The existing geofence with the id; nil if there is none.
    private mutating func accept(_ index: Int, replacing old: Geofence?) {
        let geofence = draft.plan.entries[index].geofence
        var accepted = draft.accepted[geofence.id] ?? .init(index: index)
        accepted.index = index
        draft.plan.imported.count += 1
        if repaired.contains(draft.plan.entries[index].index) { draft.plan.imported.repaired += 1 }
        if let note = outlineNotes[draft.plan.entries[index].index] {
            draft.plan.imported.notes.append(note.with(geofenceId: geofence.id))
        }
        if old == geofence {
            draft.plan.imported.unchanged += 1
        } else {
            if old != nil { draft.plan.imported.replaced += 1 }
            // Another entry of the file may have made the name.
            if let before = accepted.saved, newNames.contains(before) { newNames.insert(index) }
            accepted.saved = index
            if needsNames { naming.accept(geofence, replacing: old) }
        }
        draft.accepted[geofence.id] = accepted
    }
}
