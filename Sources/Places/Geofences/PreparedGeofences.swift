import Geodesy
import Geometry
import Ingest
import Model

/// The geofences of a file with their outlines read, and repaired where that was asked for.
struct PreparedGeofences {
    /// The geofences that can be saved, apart from their ids, in the order of the file. Their outlines are valid.
    private(set) var entries: [GeofenceImport.ImportedGeofence]
    /// The numbers in the file of those whose outline was repaired.
    private(set) var repaired: Set<Int> = []
    /// Notes on outlines by the geofence's number in the file.
    private(set) var notes: [Int: GeofenceNote] = [:]
    private(set) var refusals: BoundedList<Refusal>
    let remarks: [Phrase]

    /// - Parameters:
    ///   - source: The name of the file, for messages.
    ///   - end: Outlines that would be repaired after this moment are refused.
    ///   - checkingEnd: Outlines that would be checked after this moment are refused; nil for no limit.
    init(
        _ file: consuming GeofenceImport, source: String, _ options: GeofenceFile.ImportOptions, context: GEOSContext,
        repairingUntil end: ContinuousClock.Instant, checkingUntil checkingEnd: ContinuousClock.Instant?
    ) {
        refusals = GeofenceFile.refusals(of: file)
        remarks = file.remarks
        entries = file.entries
        file.entries = []
        // The array is changed in place, because a copy of many geofences takes much memory.
        var count = 0
        for index in entries.indices {
            if let checkingEnd, case .polygons = entries[index].geofence.shape, ContinuousClock.now >= checkingEnd {
                refuse(
                    entries[index], source, "geometry",
                    .expecting(
                        Phrase(
                            "checking the outlines before it took more than \(plain: GeofenceImportPlan.checkingTime) seconds"),
                        .fewerOutlines)
                )
                continue
            }
            let repairs = options.repairsOutlines && ContinuousClock.now < end
            if let (field, reason) = prepare(at: index, options, context, repairs: repairs) {
                refuse(entries[index], source, field, reason)
                continue
            }
            if count != index { entries.swapAt(count, index) }
            count += 1
        }
        entries.removeLast(entries.count - count)
    }

    private mutating func refuse(
        _ entry: GeofenceImport.ImportedGeofence, _ source: String, _ field: String, _ reason: Phrase
    ) {
        refusals.append(
            Refusal(
                file: source, line: entry.line, field: "geofence '\(entry.geofence.id)': \(field)", value: "", reason: reason))
    }

    /// Reads the outline of a geofence.
    ///
    /// - Parameter repairs: Whether there is time to repair the outline.
    /// - Returns: The invalid field and the reason; nil if the geofence is valid.
    private mutating func prepare(
        at index: Int, _ options: GeofenceFile.ImportOptions, _ context: GEOSContext, repairs: Bool
    ) -> (field: String, Phrase)? {
        let number = entries[index].index
        let note = entries[index].geofence.readOutline(
            asWritten: options.asWritten || entries[index].isAsWritten, repairs: repairs, context: context)
        let isRepaired = repairs && entries[index].geofence.repairOutline(in: context)
        guard let flaw = entries[index].geofence.flaw(in: context) else {
            if isRepaired { repaired.insert(number) }
            notes[number] = note
            return nil
        }
        guard case .validationFailed(let field, _, let reason, let expected) = flaw else { return ("", flaw.message) }
        if entries[index].geofence.flaw != nil { return (field, .expecting(reason, expected)) }
        // Only the outline is invalid, not another value.
        if !options.repairsOutlines { return (field, .expecting(reason, .or(expected, Phrase("--mend")))) }
        if !repairs {
            return (
                field,
                .expecting(
                    Phrase(
                        """
                        its outline crosses or touches itself, and fixing the outlines before it took more than \
                        \(plain: GeofenceImportPlan.repairTime) seconds
                        """), .or(expected, .fewerOutlines))
            )
        }
        return (
            field,
            .expecting(
                reason,
                .or(
                    expected,
                    Phrase(
                        """
                        an outline with at most \(PolygonArea.maximumRepairedCorners) corners that crosses itself at most \
                        \(PolygonArea.maximumRepairedCrossings) times, so that it can be fixed
                        """)))
        )
    }
}
