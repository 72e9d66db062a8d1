import Core
import Model
import Routing
import Service

/// Routes of the journal of problems.
enum ProblemRoutes {
    typealias Route = Routing.Route<ServiceFacts>

    static let all: [Route] = [list, get, dismiss]

    private static let list = Route(
        "GET", "/v1/problems", access: .reader, restricted: .allowed,
        about: .init(
            "Lists open problems, oldest first, in the language of Accept-Language",
            query: [.init("all", "Include dismissed problems", type: "boolean")] + RouteDescription.Parameter.paging,
            answer: "ProblemPage"),
        work: .task { facts, call throws(Problem) in
            let (locale, now) = (call.locale, call.store.clock.now())
            let json: @Sendable (Queries.OpenProblem) -> JSONValue = { ShownProblem($0, at: now).json(in: locale) }
            let isAll = try call.flag("all")
            do throws(Problem) {
                return try await call.readers.ask(for: call.client) { service throws(Problem) in
                    try .list(
                        "problems", of: service, for: call,
                        read: { service, place, limit throws(Problem) in
                            try service.problems(withDismissed: isAll, after: place, limit: limit)
                        }, json: json)
                }
            } catch {
                // When the store cannot be read, its own problem is still listed.
                guard call.head.scope == nil, error.concernsStore, let problem = facts.storeProblem.current else {
                    throw error
                }
                return .page("problems", Page([problem]), json: json)
            }
        })

    private static let get = Route(
        "GET", "/v1/problems/{id}", access: .reader, restricted: .allowed,
        about: .init("Shows an open problem, dismissed or not", answer: "StandingProblem"),
        work: .read { service, call throws(Problem) in
            .json(service.json(try service.problem(id: call.id), in: call.head.language))
        })

    private static let dismiss = Route(
        "POST", "/v1/problems/{id}:dismiss", access: .admin,
        about: .init("Hides a problem until it changes, or for a day; its failures are still counted", answer: "StandingProblem"),
        work: .write { service, call throws(Problem) in
            .json(service.json(try service.dismiss(problem: call.id), in: call.head.language))
        })
}
