import Ingest
import Model
import Routing

/// Routes that receive positions.
enum PositionRoutes {
    typealias Route = Routing.Route<API>

    static let all = [positions] + ownTracks + osmAnd

    private static let positions = Route(
        "POST", "/v1/positions", access: .ingest, restricted: .allowed,
        about: .init(
            "Accepts positions, and answers when they are stored",
            query: [
                .init("device", "The device of all positions; overrides the body"),
                .init("policy", "Decision policy of their devices from now on: exact, balanced, phone or JSON"),
                .init(
                    "events",
                    "Whether the answer contains the resulting events, or only their number (eventCount). Default: true, "
                        + "unless the token is only for positions or the request has 'Prefer: return=minimal'",
                    type: "boolean"),
                .init(
                    "inputTimezone",
                    "Time zone of times without an offset from UTC, for example Europe/Berlin; default: the device's, otherwise UTC"
                ),
                .init(
                    "dateOrder", "Order of day and month in dates such as 06/01/2026: dmy or mdy; otherwise they are refused",
                    oneOf: DateOrder.allCases.map(\.rawValue)),
                .init("allowNullIsland", "Accept (0, 0) as a position", type: "boolean"),
                .init("start", "With interval: the time of the first point of a track that has no times; \(TimeReader.forms)"),
                .timeZone,
                .init("interval", "With start: the time from one such point to the next, for example 5s; at most 1d"),
            ],
            body: [
                ("application/json", "Positions"), ("application/x-ndjson", "Position"), ("application/gpx+xml", "Text"),
                ("application/vnd.google-earth.kml+xml", "Text"), ("application/vnd.google-earth.kmz", "Bytes"),
                ("application/vnd.garmin.tcx+xml", "Text"), ("text/csv", "Text"), ("application/geo+json", "Text"),
                ("text/plain", "Text"),
            ],
            answer: "IntakeAnswer", otherStatuses: [422]),
        work: .handler { api, head throws(Problem) in try PositionsHandler(api, head) })

    /// The OwnTracks route at two addresses. `/pub` is that of the OwnTracks Recorder, which many apps are set up for.
    private static let ownTracks: [Route] = ["/owntracks", "/pub"].map { path in
        Route(
            "POST", path, access: .ingest, restricted: .allowed,
            about: .init(
                "Accepts messages of the OwnTracks app",
                query: [
                    .init("u", "The user, if the header X-Limit-U is missing"),
                    .init("d", "The device, if the header X-Limit-D is missing"),
                ], body: [("application/json", "OwnTracksMessage")], answer: "OwnTracksCommands"),
            work: .handler { api, head throws(Problem) in OwnTracksHandler(api, head) })
    }

    /// The OsmAnd route, for GET and POST, at its own address and at the root, to which some apps send.
    private static let osmAnd: [Route] = ["/osmand", "/"].flatMap { path in
        ["GET", "POST"].map { method in
            let route = Route(
                method, path, access: .ingest, restricted: .allowed, takesTokenField: true,
                about: .init(
                    "Accepts a position of the Traccar client or another app with the OsmAnd protocol",
                    query: [
                        .init("id", "The device; also deviceid or device_id", isRequired: path == "/osmand" && method == "GET"),
                        .init("lat", "Degrees", type: "number", in: -90...90),
                        .init("lon", "Degrees", type: "number", in: -180...180), .init("location", "lat,lon in one field"),
                        .init("timestamp", "RFC 3339, or Unix seconds, milliseconds or microseconds; default: now"),
                        .init("accuracy", "Meters; also hacc", type: "number"), .init("altitude", "Meters", type: "number"),
                        .init("speed", "Knots", type: "number"),
                        .init("bearing", "Degrees clockwise from north; also heading", type: "number"),
                        .init("batt", "Percent", type: "number", in: 0...100),
                        .init(Target.tokenField, "The token, for apps that cannot send headers"),
                    ],
                    body: method == "GET"
                        ? [] : [("application/x-www-form-urlencoded", "Text"), ("application/json", "OsmAndPositions")],
                    answer: "Text", answerType: "text/plain"),
                work: .handler { api, head throws(Problem) in OsmAndHandler(api, head) })
            return route
        }
    }
}
