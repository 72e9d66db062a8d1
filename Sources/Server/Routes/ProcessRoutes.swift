import Model
import Service

/// The process itself.
enum ProcessRoutes {
    static let all = [healthz]

    private static let healthz = Route(
        "GET", "/healthz", .open, .init("Whether the process answers", answer: "Text", answerType: "text/plain"),
        .now { _, _ in Response(200, "text/plain", .text("ok\n")) })
}
