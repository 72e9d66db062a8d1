import Core
import Model
import Reconciler
import Registry
import Routing
import Service

/// Routes of the registrations on phones: health, repair, and what apps report.
enum HealthRoutes {
    typealias Route = Routing.Route<RepairCoordinator>

    static let all: [Route] = [list, get, changes, repair, repairs, registry, simulate, report]

    private static let list = Route(
        "GET", "/v1/health", access: .reader, restricted: .allowed, isHeavy: true,
        about: .init(
            "Lists the health of the registrations of all managed devices, by id",
            query: [
                .init(
                    "totals", "Include the number of devices in each state of health; changed devices are assessed for this",
                    type: "boolean"),
                .init(
                    "reported", "Include how many enters and exits each phone has reported in 30 days; this reads their events",
                    type: "boolean"),
            ] + RouteDescription.Parameter.paging, answer: "HealthPage"),
        work: .read { service, call throws(Problem) in
            let language = call.head.language
            let isCounting = try call.flag("reported")
            @Sendable func json(_ found: (status: GeofenceHealthStatus, problem: Problem?)) -> JSONValue {
                HealthDocument(found.status, problem: found.problem).json(in: AnswerLocale(language))
            }
            guard try call.flag("totals") else {
                return try .list(
                    "devices", of: service, for: call,
                    read: { service, place, limit throws(Problem) in
                        try service.health(after: place, limit: limit, countingReports: isCounting)
                    }, json: json)
            }
            let page = try service.health(after: call.after, limit: call.limit(), countingReports: isCounting)
            let totals = try service.healthTotals()
            return .page("devices", page, with: [.init("totals", totals.json(in: AnswerLocale()))], json: json)
        })

    private static let get = Route(
        "GET", "/v1/devices/{id}/health", access: .reader, restricted: .allowed, heavyFields: ["explain"],
        about: .init(
            "Shows the health of a device's registrations",
            query: [.init("explain", "Include why each geofence is registered or not", type: "boolean")],
            answer: "Health"),
        work: .read { service, call throws(Problem) in
            let language = call.head.language
            let (found, assessment) = try service.health(of: service.device(id: call.id))
            let status = try service.withReportedTransitions(found)
            let standings = try call.flag("explain") ? assessment?.standings(of: status) : nil
            return .json(
                HealthDocument(status, standings: standings, problem: service.registryProblem).json(in: AnswerLocale(language)))
        })

    // MARK: - Repair

    private static let repair = Route(
        "POST", "/v1/devices/{id}/fix-registration", access: .admin,
        about: .init(
            "Repairs a device's registrations, and returns what was found, done and left",
            query: [.init("dryRun", "Change nothing, and return what would be done", type: "boolean")], answer: "RepairReport"),
        work: .task { coordinator, call throws(Problem) in
            let id = call.id
            let device = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                try service.device(id: id)
            }
            guard device.registry != .none else {
                throw .validationFailed(
                    field: "device", value: id, reason: .notManaged,
                    expected: .deviceWithRegistry)
            }
            let language = call.head.language
            if try call.flag("dryRun") {
                return .json(
                    try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                        try service.repairPlan(for: device).json(in: language)
                    })
            }
            return .json(try await run(coordinator, device).json(in: language))
        })

    private static func run(_ coordinator: RepairCoordinator, _ device: Device) async throws(Problem) -> RepairOutcome {
        do {
            return try await coordinator.repair(device)
        } catch let problem as Problem {
            throw problem
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .unknown(details: .verbatim(String(describing: error)))
        }
    }

    private static let repairs = Route(
        "GET", "/v1/devices/{id}/repairs", access: .reader, restricted: .allowed,
        about: .init(
            "Lists the repairs of a device's registrations, newest first", query: RouteDescription.Parameter.paging,
            answer: "RepairPage"
        ),
        work: .read { service, call throws(Problem) in
            .page("repairs", try service.repairs(of: call.id, after: call.after, limit: call.limit())) {
                $0.report(in: call.head.language)
            }
        })

    private static let changes = Route(
        "GET", "/v1/devices/{id}/health-changes", access: .reader, restricted: .allowed,
        about: .init("Lists the recorded changes of a device's health, newest first", answer: "HealthChanges"),
        work: .read { service, call throws(Problem) in
            let (id, language) = (call.id, call.head.language)
            let changes = try service.healthHistory(of: service.device(id: id)).map { change -> JSONValue in
                [
                    "deviceId": .string(id), "at": JSONValue(change.at),
                    "isHealthy": change.isHealthy.map(JSONValue.bool) ?? .null,
                    "statusSummary": .string(change.summary.text(in: language)),
                ]
            }
            return .json(["changes": .array(changes)])
        })

    // MARK: - What a system holds

    private static let registry = Route(
        "GET", "/v1/devices/{id}/registry", access: .reader, restricted: .allowed,
        about: .init("Lists the regions that a device's system watches, with a verdict for each", answer: "Registry"),
        work: .read { service, call throws(Problem) in
            let device = try service.device(id: call.id)
            guard device.registry != .none else {
                throw .validationFailed(
                    field: "device", value: call.id, reason: .notManaged,
                    expected: .deviceWithRegistry)
            }
            let (status, assessment) = try service.health(of: device)
            return try regions(status, assessment, service.regionIdentifiers(of: device), in: call.head.language)
        })

    private static func regions(
        _ status: GeofenceHealthStatus, _ assessment: Assessment?, _ identifiers: RegionIdentifiers = .picket,
        in language: Language
    ) throws(Problem) -> Response {
        guard let assessment else {
            if let reportedAt = status.reportedAt { throw .registryStale(reportedAt: reportedAt) }
            throw .registryUnavailable(
                details: Phrase("the regions that the system of '\(status.device.id)' watches are not known"))
        }
        return .json(
            RegisteredRegions(assessment, identifiers: identifiers, status: status).json(in: AnswerLocale(language)))
    }

    private static let simulate = Route(
        "POST", "/v1/devices/{id}/registry:simulate", access: .admin,
        about: .init(
            "Simulates an incident on a simulated phone, and returns its registry afterward",
            body: [("application/json", "SimulatedAction")], answer: "Registry"),
        work: .task { coordinator, call throws(Problem) in
            let id = call.id
            let device = try await call.store.readers.ask(for: call.client) { service throws(Problem) in
                try service.device(id: id)
            }
            try await call.store.writer.phones.simulate(
                SimulatedAction(json: call.json()), on: device, at: call.store.clock.now())
            // This also sends notices to streams, and records or resolves the device's problem.
            let (status, assessment, _) = try await coordinator.assess(id)
            return try regions(status, assessment, in: call.head.language)
        })

    // MARK: - Reports of apps

    private static let report = Route(
        "PUT", "/v1/devices/{id}/registry", access: .ingest, restricted: .allowed,
        about: .init(
            "Accepts the list of regions that an app's system watches; returns their health and the calls that the app should make. "
                + "An unknown device is created",
            body: [("application/json", "RegistryReport")], answer: "RegistryAnswer", otherStatuses: [201]),
        work: .task { _, call throws(Problem) in
            let id = call.id
            try ReportScope.checkDevice(of: call)
            let json = try call.json()
            let answer = try await call.store.writer.perform(
                withCandidatesOf: id, or: Queries.platform(ofReport: json), madeBy: call.store.heavyReaders
            ) { service throws(Problem) in
                try call.admission?()
                return try service.storeReport(json, of: id)
            }
            let response = Response.json(answer.json(in: call.locale), status: answer.isNewDevice ? 201 : 200)
            return answer.isNewDevice ? response.with("Location", "/v1/devices/\(PercentEncoding.escape(id))/registry") : response
        })
}
