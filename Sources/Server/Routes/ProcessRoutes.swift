import Model
import Service

/// The process itself.
enum ProcessRoutes {
    static let all = [healthz, metrics]

    private static let healthz = Route(
        "GET", "/healthz", .open, .init("Whether the process answers", answer: "Text", answerType: "text/plain"),
        .now { _, _ in Response(200, "text/plain", .text("ok\n")) })

    private static let metrics = Route(
        "GET", "/metrics", .reader,
        .init("Numbers for an operator, as Prometheus reads them", answer: "Text", answerType: Metrics.contentType),
        .now { api, _ in
            Response(200, Metrics.contentType, .text(api.metrics.rendered(at: api.clock.now())))
        })
}
