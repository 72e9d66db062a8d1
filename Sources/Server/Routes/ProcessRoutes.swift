import Core
import Model
import Observability
import Routing
import Service

/// Routes about the process: health checks, metrics and the OpenAPI description.
enum ProcessRoutes {
    typealias Route = Routing.Route<API>

    static let all = [healthz, readyz, metrics, openAPI]

    private static let healthz = Route(
        "GET", "/healthz", access: .open, about: .init("Whether the process answers", answer: "Text", answerType: "text/plain"),
        work: .now { _, _ in Response(status: 200, contentType: "text/plain", body: .text("ok\n")) })

    private static let metrics = Route(
        "GET", "/metrics", access: .reader, restricted: .refused,
        about: .init("Metrics for operators, in the format of Prometheus", answer: "Text", answerType: Metrics.contentType),
        work: .now { api, _ in
            Response(
                status: 200, contentType: Metrics.contentType,
                body: .text(api.diagnostics.metrics.rendered(at: api.store.clock.now())))
        })

    private static let readyz = Route(
        "GET", "/readyz", access: .open,
        about: .init(
            "Whether positions can be accepted and requests answered; otherwise 503 with the problem", answer: "Text",
            answerType: "text/plain"),
        work: .task { api, _ in
            // Beginning a transaction is not enough as a check, because the write itself may fail.
            if let problem = api.diagnostics.storeProblem.current?.problem { return .problem(problem, status: 503) }
            if let problem = await api.readiness.problem() { return .problem(problem, status: 503) }
            return Response(status: 200, contentType: "text/plain", body: .text("ready\n"))
        })

    private static let openAPI = Route(
        "GET", "/openapi.json", access: .open, about: .init("This description (OpenAPI 3.1)", answer: "Anything"),
        work: .now { api, _ in
            Response(
                status: 200, contentType: "application/json", body: .text(OpenAPI.text(server: api.store.settings.publicURL)))
        })
}
