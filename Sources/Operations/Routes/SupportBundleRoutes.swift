import Core
import Model
import Routing
import Service

/// The route of the support report.
enum SupportBundleRoutes {
    typealias Route = Routing.Route<ServiceFacts>

    static let all: [Route] = [report]

    private static let report = Route(
        "GET", "/v1/report", access: .admin,
        about: .init(
            "Returns the support bundle: versions, settings without secrets, facts about the store, problems, connections, and the end "
                + "of the log", answer: "SupportReport"),
        work: .task { facts, call throws(Problem) in
            let report: SupportBundle
            do throws(Problem) {
                report = try await call.store.heavyReaders.ask(for: call.client) { service in
                    facts.report(.success(service), for: call)
                }
            } catch {
                report = facts.report(.failure(error), for: call)
            }
            return .json(report.json(in: call.head.language))
        })
}

extension ServiceFacts {
    /// - Parameter store: The reader of the store, or the problem that prevents reading it.
    fileprivate func report(_ store: Result<Queries, Problem>, for call: Call) -> SupportBundle {
        let (settings, now) = (call.store.settings, call.store.clock.now())
        var report = SupportBundle(version: version, versions: LibraryVersions.all + serverLibraries, at: now)
        report.add(settings)
        report.add(DataDirectory(path: settings.dataDirectory), store)
        do throws(Problem) {
            let service = try store.get()
            try service.addProblems(to: &report)
            try service.addSinks(to: &report, delivery.statuses)
        } catch {
            // The section about the store contains the error. Its problem is in memory only.
            report.add(problems: [storeProblem.current].compactMap { $0 }, at: now)
        }
        report.add(broker: broker.status)
        report.add(serviceAt: url, startedAt: startedAt, log)
        return report
    }
}
