import Ingest
import Model

/// Imports the geofences of a file as one change.
///
/// Used once, on the thread of the service.
struct GeofenceImporter {
    private let service: ServiceWriter
    private let file: PreparedGeofences
    private let options: GeofenceFile.ImportOptions
    private var imported: GeofenceFile.Imported
    private var naming: GeofenceNaming
    /// The geofences to save by id, with their numbers in the file.
    private var geofencesToSave: [String: (index: Int, geofence: Geofence)] = [:]
    /// The entries of the accepted geofences by id.
    private var entries: [String: GeofenceImport.ImportedGeofence] = [:]
    /// The places of the accepted geofences by id.
    private var places: [String: GeofenceSurroundings.Place] = [:]

    init(_ file: PreparedGeofences, into service: ServiceWriter, _ options: GeofenceFile.ImportOptions) {
        self.service = service
        self.file = file
        self.options = options
        imported = GeofenceFile.Imported()
        imported.refusals = file.refusals
        imported.remarks = file.remarks
        naming = GeofenceNaming(
            known: { id throws(Problem) in try service.knownGeofence(id: id) },
            named: { name throws(Problem) in try service.geofences(named: name) })
    }

    /// Saves all valid geofences of the file in one change.
    mutating func run() throws(Problem) -> GeofenceFile.Imported {
        let candidates = file.candidates
        // Ids that are given in the file have precedence over ids made from names, regardless of their order.
        for candidate in candidates where candidate.entry.idSource == .given {
            let old = try naming.geofence(candidate.geofence.id)
            if old == nil, case .validationFailed(let field, let value, let reason, let expected)? = candidate.geofence.flawAsNew
            {
                refuse(candidate.entry, field, value, .expecting(reason, expected))
            } else {
                accept(candidate, replacing: old)
            }
        }
        for candidate in candidates where candidate.entry.idSource != .given { try assignID(candidate) }
        imported.events = try service.apply(
            geofencesToSave.values.sorted { $0.index < $1.index }.map { .save($0.geofence) }, areOutlinesChecked: true)
        imported.notes += file.surroundings.notes(
            on: places.values.sorted { (entries[$0.id]?.index ?? 0, $0.id) < (entries[$1.id]?.index ?? 0, $1.id) })
        return imported
    }

    /// Accepts a geofence that has no id.
    private mutating func assignID(_ candidate: PreparedGeofences.Candidate) throws(Problem) {
        var candidate = candidate
        switch try naming.outcome(for: candidate.geofence) {
        case .new(let id): rename(candidate, to: id)
        case .same(let other):
            candidate.geofence = other
            accept(candidate, replacing: other)
        // A geofence without a name is not considered to be the same place as another one.
        case .taken(_, let next) where candidate.entry.idSource == .none: rename(candidate, to: next)
        case .taken(let other, let next):
            switch options.onConflict {
            case .refuse: refuse(candidate, heldBy: other)
            case .rename: rename(candidate, to: next)
            case .replace:
                candidate.geofence.id = other.id
                imported.replacements.append(.init(old: other, new: candidate.geofence))
                accept(candidate, replacing: other)
            }
        }
    }

    /// Accepts a new geofence with a free id, and reports an id that is not the one made from the name.
    private mutating func rename(_ candidate: PreparedGeofences.Candidate, to id: String) {
        var candidate = candidate
        if id != candidate.geofence.id, candidate.entry.idSource == .name {
            imported.renamed.append(.init(name: candidate.geofence.name, wanted: candidate.geofence.id, id: id))
        }
        candidate.geofence.id = id
        accept(candidate, replacing: nil)
    }

    private mutating func refuse(_ candidate: PreparedGeofences.Candidate, heldBy other: Geofence) {
        let (entry, geofence) = (candidate.entry, candidate.geofence)
        let origin = entries[other.id].map { (number: $0.index, line: $0.line) }
        refuse(
            entry, "id", other.id,
            .expecting(.subject(GeofenceNaming.conflict(geofence, heldBy: other, at: origin)), .ownIDOrReplace))
    }

    private mutating func refuse(
        _ entry: GeofenceImport.ImportedGeofence, _ field: String, _ value: String, _ reason: Reason
    ) {
        imported.refusals.append(
            Refusal(
                file: file.source, line: entry.line, field: "geofence \(entry.index) '\(entry.geofence.id)': \(field)",
                value: value, reason: reason))
    }

    /// Accepts a geofence with its final id.
    ///
    /// - Parameter old: The existing geofence with the id; nil if there is none.
    private mutating func accept(_ candidate: PreparedGeofences.Candidate, replacing old: Geofence?) {
        let geofence = candidate.geofence
        imported.count += 1
        if candidate.isMended { imported.repaired += 1 }
        if let note = candidate.note { imported.notes.append(note.with(geofenceId: geofence.id)) }
        places[geofence.id] = .init(
            id: geofence.id, isNamed: candidate.entry.idSource != .none, box: geofence.shape.boundingBox)
        if old == geofence {
            imported.unchanged += 1
        } else {
            if old != nil { imported.replaced += 1 }
            geofencesToSave[geofence.id] = (candidate.entry.index, geofence)
            naming.accept(geofence, replacing: old)
        }
        entries[geofence.id] = candidate.entry
    }
}
