import Ingest
import Model

/// Makes the plan of an import: finds out which geofences are new or different, and which ids they get. It changes nothing.
///
/// Used once, on the thread of the store.
struct GeofenceImporter {
    private let queries: Queries
    private let options: GeofenceFile.ImportOptions
    private let repaired: Set<Int>
    private let outlineNotes: [Int: GeofenceNote]
    private var plan: GeofenceImportPlan
    private var naming: GeofenceNaming
    /// Whether a geofence has no id, so that accepted ones are searched by their names.
    private let needsNames: Bool
    /// The indexes of the entries that are saved, by id.
    private var saved: [String: Int] = [:]
    /// The indexes of the accepted entries by id.
    private var accepted: [String: Int] = [:]
    /// The indexes of entries whose id was made from their name because no geofence had it.
    private var newNames: Set<Int> = []

    init(_ file: PreparedGeofences, source: String, into queries: Queries, _ options: GeofenceFile.ImportOptions) {
        self.queries = queries
        self.options = options
        repaired = file.repaired
        outlineNotes = file.notes
        plan = GeofenceImportPlan(source: source, entries: file.entries)
        plan.imported.refusals = file.refusals
        plan.imported.remarks = file.remarks
        needsNames = file.entries.contains { $0.idSource != .given }
        naming = GeofenceNaming(
            known: { id throws(Problem) in try queries.knownGeofence(id: id) },
            named: { name throws(Problem) in try queries.geofences(named: name) })
    }

    mutating func run() throws(Problem) -> GeofenceImportPlan {
        // Ids that are given in the file have precedence over ids made from names, regardless of their order.
        for index in plan.entries.indices where plan.entries[index].idSource == .given {
            let geofence = plan.entries[index].geofence
            let old = try queries.knownGeofence(id: geofence.id)
            if old == nil, case .validationFailed(let field, let value, let reason, let expected)? = geofence.flawAsNew {
                refuse(index, field, value, .expecting(reason, expected))
            } else {
                accept(index, replacing: old)
            }
        }
        for index in plan.entries.indices where plan.entries[index].idSource != .given { try assignID(index) }
        plan.saves = saved.map { .init(index: $0.value, isNewName: newNames.contains($0.value)) }
        let entries = plan.entries
        plan.saves.sort { entries[$0.index].geofence.id < entries[$1.index].geofence.id }
        let places = accepted.values.sorted().map { index in
            GeofenceSurroundings.Place(
                id: entries[index].geofence.id, isNamed: entries[index].idSource != .none,
                box: entries[index].geofence.shape.boundingBox)
        }
        for note in try queries.geofenceSurroundings().notes(on: places) { plan.imported.notes.append(note) }
        return plan
    }

    /// Accepts a geofence that has no id.
    private mutating func assignID(_ index: Int) throws(Problem) {
        let entry = plan.entries[index]
        switch try naming.outcome(for: entry.geofence) {
        case .new(let id): rename(index, to: id)
        case .same(let other):
            plan.entries[index].geofence = other
            accept(index, replacing: other)
        // A geofence without a name is not considered to be the same place as another one.
        case .taken(_, let next) where entry.idSource == .none: rename(index, to: next)
        case .taken(let other, let next):
            switch options.onConflict {
            case .refuse:
                let origin = accepted[other.id].map { (number: plan.entries[$0].index, line: plan.entries[$0].line) }
                refuse(
                    index, "id", other.id,
                    .expecting(
                        .subject(GeofenceNaming.conflict(entry.geofence, heldBy: other, at: origin)), .ownIDOrReplace))
            case .rename: rename(index, to: next)
            case .replace:
                plan.entries[index].geofence.id = other.id
                plan.imported.replacements.append(.init(old: other, new: plan.entries[index].geofence))
                accept(index, replacing: other)
            }
        }
    }

    /// Accepts a new geofence with a free id, and reports an id that is not the one made from the name.
    private mutating func rename(_ index: Int, to id: String) {
        let entry = plan.entries[index]
        if id != entry.geofence.id, entry.idSource == .name {
            plan.imported.renamed.append(.init(name: entry.geofence.name, wanted: entry.geofence.id, id: id))
        }
        plan.entries[index].geofence.id = id
        newNames.insert(index)
        accept(index, replacing: nil)
    }

    private mutating func refuse(_ index: Int, _ field: String, _ value: String, _ reason: Phrase) {
        plan.imported.refuse(plan.entries[index], of: plan.source, field: field, value: value, reason: reason)
    }

    /// Accepts a geofence with its final id.
    ///
    /// - Parameter old: The existing geofence with the id; nil if there is none.
    private mutating func accept(_ index: Int, replacing old: Geofence?) {
        let geofence = plan.entries[index].geofence
        plan.imported.count += 1
        if repaired.contains(plan.entries[index].index) { plan.imported.repaired += 1 }
        if let note = outlineNotes[plan.entries[index].index] { plan.imported.notes.append(note.with(geofenceId: geofence.id)) }
        if old == geofence {
            plan.imported.unchanged += 1
        } else {
            if old != nil { plan.imported.replaced += 1 }
            // Another entry of the file may have made the name.
            if let before = saved[geofence.id], newNames.contains(before) { newNames.insert(index) }
            saved[geofence.id] = index
            if needsNames { naming.accept(geofence, replacing: old) }
        }
        accepted[geofence.id] = index
    }
}
