import Geometry
import Ingest
import Model

/// The geofences of a file with their outlines read, and repaired where that was asked for. This takes the time of an import that does not
/// depend on the store, so it is done beside the writer.
package struct PreparedGeofences: Sendable {
    /// A geofence that can be saved, apart from its id. Its outline is valid.
    struct Candidate: Sendable {
        var entry: GeofenceImport.ImportedGeofence
        var geofence: Geofence
        var isMended: Bool
        var note: GeofenceNote?
    }

    /// The name of the file, for messages.
    let source: String
    private(set) var candidates: [Candidate] = []
    private(set) var refusals: [Refusal]
    /// The geofences of the store when the file was prepared.
    let surroundings: GeofenceSurroundings
    let remarks: [Reason]

    /// The seconds after which an import repairs no more outlines.
    package static let mendingTime = 10
    /// The seconds after which a service checks no more outlines of an import.
    package static let checkingTime = 30

    /// - Parameters:
    ///   - source: The name of the file, for messages.
    ///   - surroundings: The geofences of the store, with which the places of the imported ones are compared.
    ///   - end: Outlines that would be repaired after this moment are refused.
    ///   - checkingEnd: Outlines that would be checked after this moment are refused; nil for no limit.
    package init(
        _ file: GeofenceImport, source: String, _ options: GeofenceFile.ImportOptions, context: GEOSContext,
        surroundings: GeofenceSurroundings = .init(), mendingUntil end: ContinuousClock.Instant = .now + .seconds(mendingTime),
        checkingUntil checkingEnd: ContinuousClock.Instant? = nil
    ) {
        self.source = source
        self.surroundings = surroundings
        refusals = GeofenceFile.refusals(of: file)
        remarks = file.remarks
        for entry in file.entries {
            if let checkingEnd, case .polygons = entry.geofence.shape, ContinuousClock.now >= checkingEnd {
                refuse(entry, "geometry", .expecting(.checkingTime(Self.checkingTime), .fewerOutlines))
                continue
            }
            prepare(entry, options, context, mends: options.repairsOutlines && ContinuousClock.now < end)
        }
    }

    private mutating func refuse(_ entry: GeofenceImport.ImportedGeofence, _ field: String, _ reason: Reason) {
        refusals.append(
            Refusal(
                file: source, line: entry.line, field: "geofence '\(entry.geofence.id)': \(field)", value: "", reason: reason))
    }

    /// - Parameter mends: Whether there is time to repair the outline.
    private mutating func prepare(
        _ entry: GeofenceImport.ImportedGeofence, _ options: GeofenceFile.ImportOptions, _ context: GEOSContext, mends: Bool
    ) {
        var geofence = entry.geofence
        let note = geofence.readOutline(
            asWritten: options.asWritten || entry.isAsWritten, mends: mends, context: context)
        let isMended = mends && geofence.repairOutline(in: context)
        guard let flaw = geofence.flaw(in: context) else {
            candidates.append(Candidate(entry: entry, geofence: geofence, isMended: isMended, note: note))
            return
        }
        guard case .validationFailed(let field, _, let reason, let expected) = flaw else { return }
        let words: Reason
        if geofence.flaw != nil {
            words = .expecting(reason, expected)
        } else if !options.repairsOutlines {
            // Only the outline is invalid, not another value.
            words = .expecting(reason, .or(expected, .mend))
        } else if !mends {
            words = .expecting(.mendingTime(Self.mendingTime), .or(expected, .fewerOutlines))
        } else {
            words = .expecting(
                reason, .or(expected, .outlineToMend(PolygonArea.maximumMendedCorners, PolygonArea.maximumMendedCrossings)))
        }
        refuse(entry, field, words)
    }
}
