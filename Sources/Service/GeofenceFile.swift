import Foundation
import Ingest
import Model

/// Geofences from files and into files.
public enum GeofenceFile {
    /// What an import came to.
    public struct Imported: Sendable {
        /// How many went in.
        public var count = 0
        /// How many of them had an outline that crossed itself.
        public var mended = 0
        /// How many of them took the place of one with their id that was different.
        public var replaced = 0
        public var refusals: [Refusal] = []
        /// Of devices that the new fences put inside or outside of something.
        public var events: [Event] = []

        /// - Parameter file: What was read; so far only its refusals are told.
        public init(_ file: GeofenceImport) {
            refusals = file.refusals.map { refused in
                var refusal = refused.refusal
                refusal.field = "geofence \(refused.index)\(refused.id.map { " '\($0)'" } ?? ""): \(refusal.field)"
                return refusal
            }
        }
    }

    /// Takes all good geofences of a file, in one change of the fence set; those whose id is there already are replaced.
    ///
    /// - Parameters:
    ///   - path: GeoJSON or CSV; `-` for standard input.
    ///   - mends: Whether polygons that cross themselves are mended, and not refused.
    public static func importing(
        _ path: String, into service: GeofenceService, mends: Bool = false
    ) throws(Problem) -> Imported {
        try importing(try decode([UInt8](try read(path)), source: path), source: path, into: service, mends: mends)
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

    /// Takes all good geofences of what was read of a file, as `importing(_:into:mends:)` does.
    public static func importing(
        _ file: GeofenceImport, source path: String, into service: GeofenceService, mends: Bool = false
    ) throws(Problem) -> Imported {
        var imported = Imported(file)
        var fences: [Geofence] = []
        for var fence in file.fences {
            if mends, service.mend(&fence) { imported.mended += 1 }
            guard let flaw = service.flaw(of: fence) else {
                if let old = try service.knownGeofence(id: fence.id), old != fence { imported.replaced += 1 }
                fences.append(fence)
                continue
            }
            if case .validationFailed(let field, _, let reason, let expected) = flaw {
                imported.refusals.append(
                    Refusal(
                        file: path, field: "geofence '\(fence.id)': \(field)", value: "",
                        reason: "\(reason); right would be \(expected)\(canBeMended(fence) ? ", or --mend" : "")"))
            }
        }
        imported.events = try service.apply(fences.map { .put($0) })
        imported.count = fences.count
        return imported
    }

    /// Whether its own values are right, and only its outline is not.
    private static func canBeMended(_ fence: Geofence) -> Bool { fence.flaw == nil }

    /// Writes all geofences as one FeatureCollection, by id.
    public static func export(_ service: GeofenceService, _ write: (String) -> Void) throws(Problem) -> Int {
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
    public static func export(_ service: GeofenceService, to path: String) throws(Problem) -> Int {
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
