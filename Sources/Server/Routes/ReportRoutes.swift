import Model
import Service

/// The report for whoever helps.
enum ReportRoutes {
    static let all = [report]

    private static let report = Route(
        "GET", "/v1/report", .admin,
        .init(
            "What to send to whoever helps: versions, settings without secrets, facts of the store, problems, connections, and the end "
                + "of the log", answer: "SupportReport"),
        .task { api, call throws(Problem) in
            let report: SupportReport
            do throws(Problem) {
                report = try await api.readers.ask { service in api.report(.success(service)) }
            } catch {
                report = api.report(.failure(error))
            }
            return .json(report.json(in: call.head.language))
        })
}

extension API {
    /// - Parameter store: What reads the store; or why it cannot be read.
    fileprivate func report(_ store: Result<Queries, Problem>) -> SupportReport {
        var report = SupportReport(version: version, versions: Server.libraryVersions, at: clock.now())
        report.add(settings)
        report.add(DataDirectory(path: settings.dataDirectory), store)
        do throws(Problem) {
            try store.get().addFindings(to: &report, delivery.statuses)
        } catch {
            // The store's section says why there are no others; this problem stands in memory.
            report.add(problems: [storeProblem.current].compactMap { $0 }, at: clock.now())
        }
        report.add(broker: broker.json(in: .english, contact: supportContact))
        report.add(serviceAt: address, startedAt: startedAt, operatorLog)
        return report
    }
}
