import Core
import Ingest
import Model

/// Which geofences of a file are to be saved under which ids. The plan is made beside the writer, because it takes most of the time of an
/// import.
package struct GeofenceImportPlan: Sendable {
    /// A geofence to save.
    struct Save: Sendable {
        /// The index of the geofence in `entries`.
        var index: Int
        /// Whether its id was made from its name because no geofence had the id. If another geofence has the id when it is saved, it is
        /// refused.
        var isNewName: Bool
    }

    /// The seconds after which an import repairs no more outlines.
    static let repairTime = 10
    /// The seconds after which a service checks no more outlines of an import.
    package static let checkingTime = 30

    /// The name of the file, for messages.
    let source: String
    /// The geofences of the file with their final ids.
    var entries: [GeofenceImport.ImportedGeofence]
    /// Sorted by id, so that neighbors in the tables are saved together.
    var saves: [Save] = []
    /// The result if all are saved, without events.
    var imported = GeofenceFile.Imported()

    /// Creates a plan from the content of a file.
    ///
    /// - Parameters:
    ///   - source: The name of the file, for messages.
    ///   - end: Outlines that would be repaired after this moment are refused.
    ///   - checkingEnd: Outlines that would be checked after this moment are refused; nil for no limit.
    package init(
        _ file: consuming GeofenceImport, source: String, into queries: Queries, _ options: GeofenceFile.ImportOptions,
        repairingUntil end: ContinuousClock.Instant = .now + .seconds(repairTime),
        checkingUntil checkingEnd: ContinuousClock.Instant? = nil
    ) throws(Problem) {
        var importer = GeofenceImporter(
            PreparedGeofences(
                file, source: source, options, context: queries.geometry, repairingUntil: end, checkingUntil: checkingEnd),
            source: source, into: queries, options)
        self = try importer.run()
    }

    init(source: String, entries: [GeofenceImport.ImportedGeofence]) {
        self.source = source
        self.entries = entries
    }

    /// Refuses a geofence that was to be saved.
    mutating func refuse(_ index: Int, field: String, value: String, reason: Phrase) {
        imported.count -= 1
        imported.refuse(entries[index], of: source, field: field, value: value, reason: reason)
    }
}

extension GeofenceFile.Imported {
    /// Adds a refusal of an entry of a file.
    mutating func refuse(
        _ entry: GeofenceImport.ImportedGeofence, of source: String, field: String, value: String, reason: Phrase
    ) {
        refusals.append(
            Refusal(
                file: source, line: entry.line, field: "geofence \(entry.index) '\(entry.geofence.id)': \(field)",
                value: value, reason: reason))
    }
}
