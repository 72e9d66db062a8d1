import Model
import Notifications
import Registrations
import Routing
import Service

/// The route of the support report.
enum SupportBundleRoutes {
    typealias Route = Routing.Route<API>

    static let all = [report]

    private static let report = Route(
        "GET", "/v1/report", access: .admin,
        about: .init(
            "Returns the support bundle: versions, settings without secrets, facts about the store, problems, connections, and the end "
                + "of the log", answer: "SupportReport"),
        work: .task { api, call throws(Problem) in
            let report: SupportBundle
            do throws(Problem) {
                report = try await call.store.heavyReaders.ask(for: call.client) { service in api.report(.success(service)) }
            } catch {
                report = api.report(.failure(error))
            }
            return .json(report.json(in: call.head.language))
        })
}

extension API {
    /// - Parameter store: The reader of the store, or the problem why there is none.
    fileprivate func report(_ store: Result<Queries, Problem>) -> SupportBundle {
        let (settings, now) = (self.store.settings, self.store.clock.now())
        var report = SupportBundle(version: site.version, versions: Server.libraryVersions, at: now)
        report.add(settings)
        report.add(DataDirectory(path: settings.dataDirectory), store)
        do throws(Problem) {
            let service = try store.get()
            try service.addProblems(to: &report)
            try service.addSinks(to: &report, delivery.statuses)
        } catch {
            // The section about the store contains the error. Its problem is in memory only.
            report.add(problems: [diagnostics.storeProblem.current].compactMap { $0 }, at: now)
        }
        report.add(broker: broker.status)
        report.add(serviceAt: site.url, startedAt: startedAt, diagnostics.log)
        return report
    }
}
