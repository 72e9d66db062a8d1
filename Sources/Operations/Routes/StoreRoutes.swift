import Core
import Model
import Presence
import Routing
import Service

/// Routes of the whole store: its check and its backups.
enum StoreRoutes {
    typealias Route = Routing.Route<ServiceFacts>

    static let all: [Route] = [check, backup]

    private static let check = Route(
        "GET", "/v1/check", access: .admin,
        about: .init(
            "Checks the store, and evaluates all positions again. It changes nothing, may take minutes, and runs one at a time",
            answer: "StoreCheck"),
        work: .task { _, call throws(Problem) in
            do throws(Problem) {
                return .json(
                    try await call.store.longReaders.ask(for: call.client) { service throws(Problem) in
                        try service.checkStore { _, _, _ in }
                    }.json)
            } catch {
                // A store that cannot be opened is a result of the check.
                guard let check = Queries.failedCheck(error) else { throw error }
                return .json(check.json)
            }
        })

    private static let backup = Route(
        "GET", "/v1/backup", access: .admin,
        about: .init(
            "Sends a backup of one moment in one file, for 'picket restore'. It is written beside the store before it is sent. The "
                + "header Picket-Backup describes its content", answer: "Bytes", answerType: contentType),
        work: .task { _, call throws(Problem) in
            let settings = call.store.settings
            let (backup, file) = try await call.store.longReaders.ask(for: call.client) { service throws(Problem) in
                try service.backup(settings)
            }
            return .download(.start(of: file), contentType, name: "picket.backup", for: call)
                .with("Picket-Backup", backup.contents.description)
        })

    private static let contentType = "application/vnd.sqlite3"
}
