import Core
import Foundation
import Geometry
import Ingest
import Model
import Settings

/// Imports geofences from files, and exports them to files.
package enum GeofenceFile {
    /// The result of an import.
    package struct Imported: Sendable {
        /// A geofence without an id that got a numbered one, because another geofence has its name or the id made from it.
        package struct Renamed: Hashable, Sendable {
            package var name: String
            /// The id made from the name.
            package var wanted: String
            /// The id that the geofence got.
            package var id: String
        }

        /// A geofence without an id, and the different geofence with its name that it replaced.
        package struct Replacement: Hashable, Sendable {
            package var old: Geofence
            package var new: Geofence
        }

        /// The number of imported geofences, including unchanged ones.
        package var count = 0
        /// The number of imported geofences that already existed without a difference.
        package var unchanged = 0
        /// The number of imported geofences whose outline crossed itself and was repaired.
        package var repaired = 0
        /// The number of imported geofences that replaced a different one with the same id.
        package var replaced = 0
        /// The replaced geofences among them that were found by their name.
        package var replacements = BoundedList<Replacement>()
        package var renamed = BoundedList<Renamed>()
        /// Notes about how outlines were read, and where the geofences are.
        package var notes = BoundedList<GeofenceNote>()
        /// Remarks on how the file was read.
        package var remarks: [Phrase] = []
        package var refusals = BoundedList<Refusal>()
        /// The events of devices that enter or leave a geofence because of the import.
        package var events = BoundedList<Event>.noEvents

        init() {}
    }

    package struct ImportOptions: Sendable {
        /// What happens to a geofence without an id if another geofence has its name.
        package enum OnConflict: String, CaseIterable, Sendable {
            /// The geofence is refused.
            case refuse
            /// The geofence replaces the other one.
            case replace
            /// The geofence gets a free id.
            case rename
        }

        package var onConflict = OnConflict.refuse
        /// Whether polygons that cross themselves are repaired instead of refused.
        package var repairsOutlines = false
        /// Whether edges longer than 180° of longitude stay as they are written.
        package var asWritten = false
        /// What the file does not contain.
        package var decoding = GeofenceDecodingOptions()

        package init(
            onConflict: OnConflict = .refuse, repairs: Bool = false, asWritten: Bool = false,
            decoding: GeofenceDecodingOptions = GeofenceDecodingOptions()
        ) {
            self.onConflict = onConflict
            self.repairsOutlines = repairs
            self.asWritten = asWritten
            self.decoding = decoding
        }
    }

    /// Imports all valid geofences of a file as one change. A geofence with an id replaces an existing one with that id. If a geofence
    /// without an id has the name of another one, `options.onConflict` decides.
    ///
    /// - Parameter path: The path of a file in a format of `GeofenceDecoder`; `-` for standard input.
    package static func importing(
        _ path: String, into service: ServiceWriter, _ options: ImportOptions = .init()
    ) throws(Problem) -> Imported {
        let file = try decode([UInt8](try read(path)), source: .verbatim(path), options.decoding)
        return try importing(file, source: path, into: service, options)
    }

    /// Reads the content of a file.
    ///
    /// - Parameter source: The name of the file, for messages.
    package static func decode(
        _ bytes: [UInt8], source: ProblemSubject, _ options: GeofenceDecodingOptions = .init()
    ) throws(Problem) -> GeofenceImport {
        try bytes.withUnsafeBufferPointer { buffer throws(Problem) in
            try GeofenceDecoder.decode(buffer, source: source, options: options)
        }
    }

    /// The parts of a file that cannot be read as a geofence, with the number of each.
    package static func refusals(of file: GeofenceImport) -> BoundedList<Refusal> {
        let refusals = file.refusals.map { refused in
            var refusal = refused.refusal
            refusal.field = "geofence \(refused.index)\(refused.id.map { " '\($0)'" } ?? ""): \(refusal.field)"
            return refusal
        }
        return BoundedList(refusals, total: file.refusals.total)
    }

    /// Imports all valid geofences from the content of a file; see `importing(_:into:_:)`.
    static func importing(
        _ file: GeofenceImport, source: String, into service: ServiceWriter, _ options: ImportOptions = .init()
    ) throws(Problem) -> Imported {
        try importing(try GeofenceImportPlan(file, source: source, into: service, options), into: service)
    }

    /// Saves the geofences of a plan in one transaction.
    static func importing(
        _ plan: consuming GeofenceImportPlan, into service: ServiceWriter
    ) throws(Problem) -> Imported {
        plan.imported.events += try service.apply(
            plan.saves.map { .save(plan.entries[$0.index].geofence) }, areOutlinesChecked: true)
        return plan.imported
    }

    /// The geofences of a file alone, as an import with `OnConflict.rename` would save them into an empty store.
    ///
    /// - Returns: The geofences in the order of the file without duplicates, and notes about how their outlines were read.
    package static func geofences(
        of file: GeofenceImport, context: GEOSContext
    ) throws(Problem) -> (geofences: [Geofence], notes: [GeofenceNote]) {
        var accepted: [String: Geofence] = [:]
        var naming = GeofenceNaming(known: { accepted[$0] }, named: { _ in [] })
        var named: [(index: Int, geofence: Geofence, note: GeofenceNote?)] = []
        // Ids that are given in the file have precedence over ids made from names, regardless of their order.
        for entry in file.entries.filter({ $0.idSource == .given }) + file.entries.filter({ $0.idSource != .given }) {
            var geofence = entry.geofence
            var note = geofence.readOutline(asWritten: entry.isAsWritten, context: context)
            if entry.idSource != .given {
                switch try naming.outcome(for: geofence) {
                case .new(let id), .taken(_, let id): geofence.id = id
                case .same: continue
                }
            }
            note = note?.with(geofenceId: geofence.id)
            accepted[geofence.id] = geofence
            naming.accept(geofence, replacing: nil)
            named.append((entry.index, geofence, note))
        }
        named.sort { $0.index < $1.index }
        return (named.map(\.geofence), named.compactMap(\.note))
    }

    /// The content of a file, or of standard input (`-`).
    package static func read(_ path: String) throws(Problem) -> Data {
        do {
            return try path == "-"
                ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }
}
