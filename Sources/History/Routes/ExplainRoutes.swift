import Model
import Routing
import Service

/// The route that explains why a transition was or was not emitted.
enum ExplainRoutes {
    typealias Route = Routing.Route<RunningJobs>

    static let all: [Route] = [explain]

    private static let explain = Route(
        "GET", "/v1/explain", access: .reader, restricted: .allowed,
        about: .init(
            "Explains why a device entered or left a geofence around a time, or why it did not, position by position",
            query: [
                .init("device", "Which device", isRequired: true), .init("geofence", "Which geofence", isRequired: true),
                .init("at", "The time; \(TimeReader.forms); default: the device's newest position"),
                .init(
                    "timezone",
                    "Time zone of times without a zone, default: the service's setting; and of times in sentences, default: UTC"),
                .init(
                    "around", "Number of positions before and after that time, 1 to 1000; default: 5", type: "integer",
                    in: Explanation.Question.allowedAround),
            ], answer: "Explanation"),
        work: .task { _, call throws(Problem) in
            var question = Explanation.Question(
                deviceId: try call.required("device"), geofenceId: try call.required("geofence"), at: try call.instant("at"))
            if let around = try call.integer("around", in: Explanation.Question.allowedAround) { question.around = around }
            try await call.store.orderTracks(for: question.deviceId, call.client)
            let (asked, locale) = (question, AnswerLocale(call.head.language, zone: try call.timeZone() ?? .utc))
            return .json(
                try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                    try service.explain(asked).json(in: locale)
                })
        })
}
