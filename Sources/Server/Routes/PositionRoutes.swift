import Model
import Service

/// Positions in.
enum PositionRoutes {
    static let all = [positions]

    private static let positions = Route(
        "POST", "/v1/positions", .ingest,
        .init(
            "Takes positions, and answers when they are kept",
            query: [
                .init("device", "The device of all of them, whatever the body says"),
                .init("policy", "What their devices decide by from now on: exact, balanced or phone"),
                .init("allowNullIsland", "Take (0, 0) as a position", type: "boolean"),
            ],
            body: [
                ("application/json", "Positions"), ("application/x-ndjson", "Position"), ("application/gpx+xml", "Text"),
                ("text/csv", "Text"), ("application/geo+json", "Text"), ("text/plain", "Text"),
            ],
            answer: "IntakeAnswer", otherStatuses: [422]),
        .handler { api, head throws(Problem) in try PositionsHandler(api, head) })
}
