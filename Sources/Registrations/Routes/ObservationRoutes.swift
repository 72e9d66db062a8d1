import Comparison
import Model
import Routing
import Service

/// Routes of what apps observe: their log, and its comparison with the positions on record.
enum ObservationRoutes {
    typealias Route = Routing.Route<RepairCoordinator>

    static let all: [Route] = [send, compare]

    private static let send = Route(
        "POST", "/v1/devices/{id}/observations", access: .ingest, restricted: .allowed,
        about: .init(
            "Accepts the log of an app, and answers when it is stored; a repeated observation counts once",
            body: [("application/json", "Observations"), ("application/x-ndjson", "Observation")], answer: "ObservationAnswer",
            otherStatuses: [422]),
        work: .task { _, call throws(Problem) in
            let id = call.id
            try ReportScope.checkDevice(of: call)
            let decoded = try observations(call)
            if decoded.observations.isEmpty && decoded.refusals.isEmpty {
                throw .validationFailed(field: "body", value: "", reason: .nothingInIt, expected: .objectOf(.observation))
            }
            let answer = try await call.perform { service throws(Problem) in
                try service.storeObservations(decoded, of: id)
            }
            // When all observations were refused, the status shows that.
            let isUseless = answer.accepted + answer.duplicates == 0
            return .json(answer.json(in: call.locale), status: isUseless ? 422 : 200)
        })

    /// The largest number of observations in a request.
    private static let mostObservations = 10_000

    /// The observations in a body: a list, an object with a list, a single one, or one on each line.
    private static func observations(_ call: Call) throws(Problem) -> AppLogDecoder.Result {
        let decoded: AppLogDecoder.Result
        switch Result(catching: { () throws(JSONParser.Failure) in
            try JSONParser.parse(call.body)
        }) {
        case .success(let json):
            if let list = json.array ?? json["observations"]?.array {
                decoded = AppLogDecoder.decode(list)
            } else {
                decoded = AppLogDecoder.decode([json])
            }
        case .failure: decoded = try AppLogDecoder.decode(call.body, file: nil)
        }
        let count = decoded.observations.count + decoded.refusals.total
        guard count <= mostObservations else {
            throw .validationFailed(
                field: "observations", value: "", reason: .elements(count), expected: .atMost(mostObservations))
        }
        return decoded
    }

    private static let compare = Route(
        "GET", "/v1/devices/{id}/comparison", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Compares the observations of a device's app with its stored positions: reported, missed (with the reason) and false transitions",
            query: [
                .init("since", "From this time on; \(TimeReader.forms); default: a day before until"), .until, .timeZone,
                .init("prefix", "Prefix of the app's region identifiers, in addition to picket/"),
                .init("maxDelay", "A transition reported later than this counts as missed; default: 15m"),
                .init("clockSkew", "How far the app's clock is ahead, for example 1h or -90s, or auto; default: 0"),
            ], answer: "ComparisonReport"),
        work: .task { _, call throws(Problem) in
            let question = try ComparisonQuestion(
                of: call.id, by: call.timeReader(), maxDelayName: "maxDelay", skewName: "clockSkew"
            ) { call.target[$0] }
            try await call.store.orderTracks(for: call.id, call.client)
            return .json(
                try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                    try service.comparison(question)
                }.json)
        })
}
