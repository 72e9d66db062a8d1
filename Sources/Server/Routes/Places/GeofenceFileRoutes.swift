import Core
import Ingest
import Model
import Places
import Routing
import Service

/// Routes for many geofences: import, export and overlaps.
enum GeofenceFileRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [importing, export, overlaps, overlapsOfDraft]

    private static let importing = Route(
        "POST", "/v1/geofences:import", access: .admin, maxBody: 64 << 20,
        about: .init(
            "Imports all valid geofences of a file. A geofence whose id already exists is replaced; one without an id "
                + "that has the name of another geofence is refused. The notes say where the imported geofences are",
            query: [
                .init(
                    "onConflict",
                    "What happens to a geofence without an id that has the name of another geofence: refuse (default), replace, "
                        + "which replaces the other geofence, or rename, which gives it a free id",
                    oneOf: GeofenceFile.ImportOptions.OnConflict.allCases.map(\.rawValue)),
                .init("mend", "Correct polygons that cross themselves instead of refusing them", type: "boolean"),
                .asWritten,
                .init(
                    "radius", "Radius in meters, 1 to 1000000, of points without one", type: "number", in: 1...1_000_000),
                .init("columns", "Names of CSV columns, for example name=Ort,latitude=Breite"),
            ],
            body: [
                ("application/geo+json", "FeatureCollection"), ("application/json", "Anything"), ("text/csv", "Text"),
                ("application/vnd.google-earth.kml+xml", "Text"), ("application/vnd.google-earth.kmz", "Bytes"),
                ("application/gpx+xml", "Text"),
                ("text/plain", "Text"),
            ], answer: "ImportAnswer",
            otherStatuses: [422]),
        work: .task { api, call throws(Problem) in
            let options = GeofenceFile.ImportOptions(
                onConflict: try call.oneOf("onConflict", GeofenceFile.ImportOptions.OnConflict.self) ?? .refuse,
                repairs: try call.flag("mend"), asWritten: try call.flag("asWritten"),
                decoding: GeofenceDecodingOptions(
                    columns: try CSVColumns.mapping(of: call.target["columns"] ?? "", option: "columns"),
                    radius: try call.number("radius", in: Geofence.radii, .metersIn(1, 1_000_000))))
            let body = call.body
            // Decoded geofences take several times the memory of the body, so there is one import at a time.
            let imported = try await api.imports.run { () async throws(Problem) in
                try await call.store.writer.completeImport()
                // A reader does everything that does not change the store.
                let plan = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                    try GeofenceImportPlan(
                        GeofenceFile.decode(body, source: .body, options.decoding),
                        source: ProblemSubject.body.description, into: service, options,
                        checkingUntil: .now + .seconds(GeofenceImportPlan.checkingTime))
                }
                return try await call.store.writer.importGeofences(plan)
            }
            return .json(
                imported.json(in: call.head.language),
                status: imported.count == 0 && !imported.refusals.isEmpty ? 422 : 200,
                orShort: { [imported, language = call.head.language] in imported.shortened.json(in: language) })
        })

    private static let export = Route(
        "GET", "/v1/geofences:export", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Exports all geofences as GeoJSON; importing them again changes nothing", answer: "FeatureCollection",
            answerType: "application/geo+json"),
        work: .read { service, call throws(Problem) in
            .pieces(try exportPiece(service, after: nil, GeofenceEncoder()), "application/geo+json", for: call)
        })

    /// Writes the geofences after an id, until there is some text.
    private static func exportPiece(
        _ service: Queries, after id: String?, _ encoder: GeofenceEncoder
    ) throws(Problem) -> Download.Piece {
        var (text, place, encoder) = ("", id, encoder)
        repeat {
            let page = try service.geofences(after: place, limit: 10)
            for geofence in page.items { text += encoder.encode(geofence) }
            place = page.next
        } while place != nil && text.utf8.count < Download.usualPiece
        guard place != nil else { return Download.Piece(text: text + encoder.finish(), next: nil) }
        return Download.Piece(text: text) { [place, encoder] service throws(Problem) in
            try exportPiece(service, after: place, encoder)
        }
    }

    private static let overlaps = Route(
        "GET", "/v1/geofences/overlaps", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Lists active geofences that touch, overlap or contain each other",
            query: [
                .init("of", "Only pairs with this geofence"),
                .limit("Maximum number of pairs"),
            ], answer: "OverlapList"),
        work: .read { service, call throws(Problem) in
            let limit = try call.limit()
            var found: [JSONValue] = []
            try service.forEachOverlap(of: call.target["of"], limit: limit + 1) { found.append($0.json) }
            return .json(["overlaps": .array(Array(found.prefix(limit))), "isComplete": .bool(found.count <= limit)])
        })

    private static let overlapsOfDraft = Route(
        "POST", "/v1/geofences:overlaps", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Lists active geofences that a draft would touch, overlap or contain, without saving it. With an id, the draft is a change "
                + "of the geofence with that id, which is left out",
            query: [.limit("Maximum number of pairs"), .asWritten],
            body: [("application/json", "NewGeofence"), ("application/geo+json", "Feature")],
            answer: "OverlapList"),
        work: .read { service, call throws(Problem) in
            let options = Queries.GeofenceOptions(asWritten: try call.flag("asWritten"))
            let found = try service.overlaps(ofDraft: call.json(), options, limit: call.limit())
            return .json(["overlaps": .array(found.pairs.map(\.json)), "isComplete": .bool(found.isComplete)])
        })
}
