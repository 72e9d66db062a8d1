import Testing

@testable import Model

@Suite("A problem that goes over the network")
struct ProblemParametersTests {
    /// One of each kind, and with what may be left out left out.
    static let all: [Problem] =
        [
            .validationFailed(field: "radius", value: "0.5", reason: "it is \"small\"", expected: "metres"),
            .decodingFailed(source: "a.csv", line: 7, reason: "no"), .decodingFailed(source: "the body", line: nil, reason: "no"),
            .encodingFailed(what: "it", reason: "no"), .unsupportedFormat(source: "a", found: "b", supported: "c"),
            .tooLarge(what: "it", limit: "16 bytes"), .usage(reason: "no", help: "picket --help"),
            .inputRefused(device: "mia", field: "lat", kind: .unreadable, reason: "it is no number"),
            .notFound(kind: "geofence", id: "hom", similar: ["home", "homes"]), .notFound(kind: "device", id: "ğ", similar: []),
            .methodNotAllowed(method: "PUT", allowed: ["GET", "HEAD"]), .conflict(kind: "device", id: "a", reason: "is there"),
            .preconditionFailed(kind: "device", id: "a", reason: "was changed meanwhile"),
            .cursorGone(
                cursor: EventCursor(20, of: nil), reason: .setBack, resume: EventCursor(18, of: "5f"), newest: 1_785_312_000_001),
            .fileFailed(path: "/x", reason: "no"), .storeBusy(path: "/x", holder: "'picket feed' (process 7)"),
            .storeCorrupt(path: "/x", details: "page 3"), .storeFull(path: "/x"),
            .storeTooNew(path: "/x", version: 9, supported: 4), .migrationFailed(path: "/x", version: 2, details: "no"),
            .storeFailed(path: "/x", details: "no"), .locationServicesDisabled, .authorizationRequired(status: "whenInUse"),
            .regionMonitoringDenied(details: "4"), .regionMonitoringFailed(details: "5"), .regionLimitReached(limit: 20),
            .registryUnavailable(details: "no"), .registrationIncomplete(missing: 3, orphaned: 1),
        ] + NetworkProblemTests.table.map(\.0) + [.cancelled, .unknown(details: "no")]

    @Test("Is the same problem on the other side", arguments: all)
    func roundTrip(_ problem: Problem) throws {
        let document = try JSONParser.parse(problem.json(in: .turkish).description)
        let code = try #require(document["code"]?.string)
        #expect(Problem(code: code, parameters: try #require(document["parameters"])) == problem)
    }

    @Test("Is none when its code is not known or a value is missing")
    func incomplete() {
        #expect(Problem(code: "brandNew", parameters: [:]) == nil)
        #expect(Problem(code: "notFound", parameters: ["kind": "device"]) == nil)
        let halfVersion: JSONValue = ["path": "/x", "version": .number("1.5"), "supported": .number("4")]
        #expect(Problem(code: "storeTooNew", parameters: halfVersion) == nil)
    }
}
