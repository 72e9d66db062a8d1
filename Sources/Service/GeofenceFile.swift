import Foundation
import Geometry
import Ingest
import Model
import Settings

/// Geofences from files and into files.
public enum GeofenceFile {
    /// What an import came to.
    public struct Imported: Sendable {
        /// A geofence whose id was made of its name, and that got another one because that one was taken.
        public struct Renamed: Hashable, Sendable {
            public var name: String
            /// The id that is made of the name.
            public var wanted: String
            /// The id that it got.
            public var id: String

            public init(name: String, wanted: String, id: String) {
                self.name = name
                self.wanted = wanted
                self.id = id
            }
        }

        /// A geofence whose id was made of its name, and the other one whose place it took.
        public struct Replacement: Hashable, Sendable {
            public var old: Geofence
            public var new: Geofence

            public init(old: Geofence, new: Geofence) {
                self.old = old
                self.new = new
            }
        }

        /// How many went in, also those that were there as they are.
        public var count = 0
        /// How many of them were there as they are.
        public var unchanged = 0
        /// How many of them had an outline that crossed itself.
        public var mended = 0
        /// How many of them took the place of one with their id that was different.
        public var replaced = 0
        /// Which of these had an id that was made of their name.
        public var replacements: [Replacement] = []
        public var renamed: [Renamed] = []
        /// What there is to tell of outlines.
        public var notes: [GeofenceNote] = []
        public var refusals: [Refusal] = []
        /// Of devices that the new fences put inside or outside of something.
        public var events: [Event] = []

        public init() {}

        /// - Parameter file: What was read; so far only its refusals are told.
        public init(_ file: GeofenceImport) {
            refusals = file.refusals.map { refused in
                var refusal = refused.refusal
                refusal.field = "geofence \(refused.index)\(refused.id.map { " '\($0)'" } ?? ""): \(refusal.field)"
                return refusal
            }
        }
    }

    /// How a file is taken.
    public struct ImportOptions: Sendable {
        /// What becomes of a geofence whose id was made of its name, when another geofence has that id.
        public enum OnConflict: String, CaseIterable, Sendable {
            /// It is not taken.
            case refuse
            /// It takes the other one's place.
            case replace
            /// It gets a free id.
            case rename
        }

        public var onConflict = OnConflict.refuse
        /// Whether polygons that cross themselves are mended, and not refused.
        public var mends = false
        /// Whether edges of more than 180° of longitude stay as they are written.
        public var asWritten = false

        public init(onConflict: OnConflict = .refuse, mends: Bool = false, asWritten: Bool = false) {
            self.onConflict = onConflict
            self.mends = mends
            self.asWritten = asWritten
        }
    }

    /// Takes all good geofences of a file, in one change of the fence set. Those whose given id already exists are replaced; those
    /// whose id is made of their name, and belongs to another one, are what `options.onConflict` says.
    ///
    /// - Parameter path: GeoJSON or CSV; `-` for standard input.
    public static func importing(
        _ path: String, into service: ServiceWriter, _ options: ImportOptions = .init()
    ) throws(Problem) -> Imported {
        try importing(try decode([UInt8](try read(path)), source: path), source: path, into: service, options)
    }

    /// Reads what a file holds.
    ///
    /// - Parameter source: The name of the file, for messages.
    public static func decode(_ bytes: [UInt8], source: String) throws(Problem) -> GeofenceImport {
        let decoded: Result<GeofenceImport, Problem> = bytes.withUnsafeBufferPointer { buffer in
            do throws(Problem) {
                return .success(try GeofenceDecoder.decode(buffer, source: source))
            } catch {
                return .failure(error)
            }
        }
        return try decoded.get()
    }

    /// Takes all good geofences of what was read of a file, as `importing(_:into:_:)` does.
    public static func importing(
        _ file: GeofenceImport, source: String, into service: ServiceWriter, _ options: ImportOptions = .init()
    ) throws(Problem) -> Imported {
        var importer = GeofenceImporter(file, source: source, into: service, options)
        return try importer.run(file)
    }

    /// The geofences of a file alone, as an import with `OnConflict.rename` saves them where there are none yet.
    ///
    /// - Returns: In the order of the file, each place once, and what there is to tell of their outlines.
    public static func geofences(
        of file: GeofenceImport, context: GEOSContext
    ) throws(Problem) -> (geofences: [Geofence], notes: [GeofenceNote]) {
        var naming = GeofenceNaming { _ in nil }
        var named: [(index: Int, geofence: Geofence, note: GeofenceNote?)] = []
        // Ids that the file gives go before those that are made, wherever they stand.
        for entry in file.entries.filter({ $0.idSource == .given }) + file.entries.filter({ $0.idSource != .given }) {
            var geofence = entry.geofence
            var note = geofence.readOutline(asWritten: entry.isAsWritten, context: context)
            if entry.idSource != .given {
                switch try naming.outcome(for: geofence) {
                case .free: break
                case .same: continue
                case .taken(_, let next): geofence.id = next
                }
            }
            note?.geofenceId = geofence.id
            naming.take(geofence, inPlaceOf: nil)
            named.append((entry.index, geofence, note))
        }
        named.sort { $0.index < $1.index }
        return (named.map(\.geofence), named.compactMap(\.note))
    }

    /// Writes all geofences as one FeatureCollection, by id.
    public static func export(_ service: Queries, _ write: (String) -> Void) throws(Problem) -> Int {
        var count = 0
        var encoder = GeofenceEncoder()
        try service.forEachGeofence { geofence in
            count += 1
            write(encoder.encode(geofence))
        }
        write(encoder.finish())
        return count
    }

    /// Writes all geofences to a file, which is replaced when all of them are written.
    public static func export(_ service: Queries, to path: String) throws(Problem) -> Int {
        var text = ""
        let count = try export(service) { text += $0 }
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        return count
    }

    /// The bytes of a file, or of standard input (`-`).
    public static func read(_ path: String) throws(Problem) -> Data {
        do {
            return try path == "-"
                ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }
}
