import Model
import Routing
import Service

/// The route that exports a device.
enum ExportRoutes {
    typealias Route = Routing.Route<RunningJobs>

    static let all: [Route] = [export]

    private static let export = Route(
        "GET", "/v1/devices/{id}/export", access: .admin,
        about: .init(
            "Sends all data of a device: one JSON object per line, each with one member that names its kind. The last line is 'summary'",
            answer: "Text", answerType: "application/x-ndjson"),
        work: .task { _, call throws(Problem) in
            let id = call.id
            let file = try await call.store.longReaders.ask(for: call.client) { service throws(Problem) in
                try service.exportDevice(id: id)
            }
            return .download(.start(of: file), "application/x-ndjson", name: "device.ndjson", for: call)
        })
}
