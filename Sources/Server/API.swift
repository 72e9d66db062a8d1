import Core
import Delivery
import Geocoding
import HTTPServer
import History
import Ingest
import Model
import Notifications
import Observability
import Operations
import Places
import Presence
import Registrations
import Routing
import Secrets
import Service
import Settings

/// Where and as what a service is reached.
struct ServiceSite: Sendable {
    /// The URL of the service on this machine; nil without a service.
    let url: String?
    /// The address on which the service listens.
    let address: ListenAddress
    /// Whether connections are encrypted.
    let isEncrypted: Bool
    /// The version of Picket.
    let version: String
    /// The secret of commands on this machine.
    let ownSecret: String
    let dashboard: DashboardFiles
}

/// The service's HTTP interface: finds the route of a request, authenticates it, and passes it to the thread or task that answers it.
final class API: Responder {
    let store: StoreThreads
    let log: EventLog
    /// The epochs of the store. They do not change while a service works on it.
    let epochs: StoreEpochs
    let streams: Streams
    let waiters = EventWaiters()
    let plainReaders: PlainReaders
    /// Imports of geofences.
    let imports = Turns()
    let backgroundTasks = BackgroundTasks()
    let scheduledBackups: ScheduledBackups
    let broker: BrokerIntake
    /// Repairs registrations. There is one coordinator, so that only one repair of a device runs at a time.
    let repairCoordinator: RepairCoordinator
    /// Sends to sinks.
    let delivery: DeliveryRunner
    let diagnostics: Diagnostics
    let site: ServiceSite
    /// What the routes of operations report about the service.
    let facts: ServiceFacts
    /// The path of the public address, such as `/picket`; `/` for none.
    private let publicPath: String
    let readiness: ReadinessCheck
    let runningJobs = RunningJobs()
    /// Finds addresses and places; nil if none is set.
    let geocoder: Geocoder?
    let authenticator: Authenticator
    let tokenUses = TokenUses()
    private let crossOrigin: CrossOriginRules
    /// Devices that report without a valid token.
    let waitingDevices: WaitingDevices
    private let routes = RouteTable(Routes.all)

    /// The largest body in bytes.
    var maxBody: Int { store.settings.maxBody }
    var supportContact: SupportContact? { store.settings.supportContact }

    /// The largest body in bytes that is one JSON document.
    static let maxDocument = 1 << 20
    /// The largest head in bytes. libmicrohttpd has room for twice as much, and answers larger ones itself.
    private static let maxHead = 32_768
    /// The largest path in bytes.
    private static let maxTarget = 8192

    init(
        _ store: StoreThreads, _ stored: StoredAccess, events: EventLog, streams: Streams, diagnostics: Diagnostics,
        delivery: DeliveryRunner, broker: BrokerIntake, repairCoordinator: RepairCoordinator, site: ServiceSite
    ) {
        let (settings, clock) = (store.settings, store.clock)
        self.store = store
        epochs = stored.epochs
        waitingDevices = WaitingDevices(refused: stored.refusedDevices)
        authenticator = Authenticator(stored, settings, at: site, clock: clock)
        log = events
        self.streams = streams
        self.diagnostics = diagnostics
        geocoder = settings.geocoder.map { Geocoder($0, version: site.version) }
        scheduledBackups = ScheduledBackups(store, diagnostics)
        self.delivery = delivery
        self.broker = broker
        self.repairCoordinator = repairCoordinator
        self.site = site
        facts = ServiceFacts(
            version: site.version, url: site.url ?? "", startedAt: clock.now(), serverLibraries: Server.ownLibraries,
            log: diagnostics.log, storeProblem: diagnostics.storeProblem, delivery: delivery, broker: broker,
            certificate: { ServerCertificate.findings($0, at: $1) })
        publicPath = settings.publicURL.map { "/" + WebAddress.path(of: $0).split(separator: "/").joined(separator: "/") } ?? "/"
        crossOrigin = CrossOriginRules(origins: Set(settings.corsOrigins))
        plainReaders = PlainReaders(store.writer.decodingOptions(ofDevice: nil))
        streams.checkTokens { [authenticator] id in id.map(authenticator.acceptsToken) ?? authenticator.isOpen }
        readiness = ReadinessCheck { [writer = store.writer] in
            await withCheckedContinuation { continuation in
                // The writer also reads, because the readers may all be busy with long queries.
                let isTaken = writer.submit(check: { service throws(Problem) in
                    try service.checkWritable()
                    _ = try service.newestSequence()
                }) { result in
                    if case .failure(let problem) = result {
                        continuation.resume(returning: problem)
                    } else {
                        continuation.resume(returning: nil)
                    }
                }
                if !isTaken { continuation.resume(returning: .cancelled) }
            }
        }
    }

    /// The interface of a data directory for a single command, without a service: nothing is sent, streamed, logged or repeated.
    ///
    /// - Parameter stored: What was read from the store.
    convenience init(ofCommand store: StoreThreads, _ stored: StoredAccess, version: String) {
        let clock = store.clock
        let (log, metrics) = (Log.silent(clock), Metrics(version: version, startedAt: clock.now()))
        let (phones, events) = (OwnTracksPhones(), EventLog())
        events.setNewest(stored.identity.newest)
        self.init(
            store, stored, events: events, streams: Streams(dropped: metrics.slowReaders),
            diagnostics: Diagnostics(metrics, log: log, storeProblem: StoreProblem(clock: clock)),
            delivery: DeliveryRunner(ofCommand: store.readers),
            broker: BrokerIntake(
                store.writer, clientID: stored.mqttClientID, clock: clock, metrics: metrics, log: log, phones: phones),
            repairCoordinator: RepairCoordinator(store.writer, readers: store.readers, clock: clock),
            site: ServiceSite(
                url: nil, address: store.settings.listen, isEncrypted: false, version: version, ownSecret: Secret.token(),
                dashboard: DashboardFiles(folder: nil)))
        acceptTokens(of: stored.accessList)
    }

    /// The id of the token of commands on this machine.
    private static let ownTokenID = "service"

    /// Accepts the tokens of a list from now on, and that of commands on this machine.
    func acceptTokens(of list: AccessList) {
        var list = list
        list.addToken(
            Token(id: Self.ownTokenID, name: "this machine", role: .admin, createdAt: store.clock.now()), secret: site.ownSecret)
        authenticator.replaceTokens(with: list)
    }

    /// The check that the token of a request was not revoked while the request was received or waited for the writer; nil for a request without
    /// a token. Otherwise a report with the token of an erased device would create the device again.
    func admission(of head: Head) -> Writer.Admission? {
        guard let token = head.token else { return nil }
        return { [authenticator] () throws(Problem) in
            guard authenticator.acceptsToken(id: token.id) else { throw .unauthorized(details: .tokenUnknown) }
        }
    }

    /// Ends all open streams after a change of who may use the service, so that clients reconnect with their current permissions.
    func endOpenStreams() { streams.endOpenStreams(isAccepted: authenticator.acceptsToken(id:)) }

    func begin(_ request: Request) -> Beginning {
        var request = request
        // The page finds its files relative to its own address. Phones that report to this address are not sent elsewhere.
        if let page = request.target.page(at: publicPath), request.method != "POST", !OsmAndHandler.isReport(request.target) {
            return .refuse(Response(status: 308, contentType: "", body: .text("")).with("Location", page))
        }
        request.target = request.target.below(publicPath)
        let beginning =
            if let preflight = crossOrigin.preflight(request, methods: routes.methods(at: request.target)) {
                Beginning.refuse(preflight)
            } else {
                beginRoute(of: request)
            }
        return crossOrigin.allow(publicPath == "/" ? beginning : beginning.changing(located), for: request)
    }

    /// The answer with the address of what was created below the path of the public address. It works with a proxy that removes
    /// this path and with one that does not.
    @Sendable private func located(_ response: Response) -> Response {
        var response = response
        for index in response.headers.indices where response.headers[index].name == "Location" {
            response.headers[index].value = publicPath + response.headers[index].value
        }
        return response
    }

    private func beginRoute(of request: Request) -> Beginning {
        do throws(Problem) {
            guard request.headBytes <= Self.maxHead else {
                let problem = Problem.tooLarge(what: .request, limit: .bytes(Self.maxHead))
                return .refuse(.problem(problem, status: 431).with("Connection", "close"))
            }
            guard request.target.path.utf8.count <= Self.maxTarget else {
                throw .tooLarge(what: .address, limit: .bytes(Self.maxTarget))
            }
            if request.target.hasTooManyFields {
                throw .decodingFailed(source: .request, line: nil, reason: .moreFieldsThan(FormFields.maxFields))
            }
            if let flaw = request.target.pathFlaw { throw flaw }
            let (route, parameters) = try routes.find(request)
            let (token, user): (Token?, String?)
            do throws(Problem) {
                (token, user) = try authenticator.authenticate(request, for: route)
            } catch {
                guard route.access == .ingest, error.httpStatus == 401 else { throw error }
                return refuseReport(request, route: route, problem: error)
            }
            if let token, token.id != Self.ownTokenID { tokenUses.record(token, at: store.clock.now()) }
            let head = Head(
                parameters: parameters, target: request.target, contentType: request.headers[.contentType] ?? "",
                contentLength: request.contentLength, token: token,
                address: request.clientAddress(trusting: store.settings.trustedProxies), presence: request.presence,
                hasEffects: route.hasEffects, expiresAt: token?.expiresAt, isOwnCommand: token?.id == Self.ownTokenID, user: user)
            return .handle(
                try handler(route, head, request),
                RequestTraits(
                    tokenID: token?.id, hasEffects: route.hasEffects, isHeavy: route.takesMuchMemory(for: request.target)))
        } catch {
            return .refuse(.problem(error))
        }
    }

    /// Rejects a position report, and records which device it names. A body is read for that if its length is known and small enough.
    private func refuseReport(_ request: Request, route: Route<API>, problem: Problem) -> Beginning {
        let sender = RefusedReport.Sender(
            target: request.target, contentType: request.headers[.contentType] ?? "",
            limitUser: request.headers[.xLimitU], limitDevice: request.headers[.xLimitD],
            user: Authenticator.user(of: request),
            hasToken: Authenticator.containsToken(request, route: route),
            address: request.client(trusting: store.settings.trustedProxies))
        let report = RefusedReport(self, route: route, sender: sender, problem: problem)
        if let length = request.contentLength, (1...RefusedReport.maximumBody).contains(length) {
            return .handle(report, RequestTraits(isRefused: true))
        }
        report.recordDevices()
        return .refuse(.problem(problem))
    }

    private func handler(
        _ route: Route<API>, _ plain: Head, _ request: Request
    ) throws(Problem) -> any RequestHandler {
        var head = plain
        try checkQuery(of: head.target, route: route)
        // RFC 9110, 13.1.1: If-Match must not be ignored. A resource without a version matches no tag.
        if let tags = request.headers[.ifMatch], tags != "*", !route.takesIfMatch {
            throw .preconditionFailed(
                kind: .address, id: head.target.path,
                reason: Phrase("has no version for If-Match. Send the request without If-Match"))
        }
        if case .handler(let make) = route.work {
            if route.access == .ingest {
                head.limitUser = request.headers[.xLimitU]
                head.limitDevice = request.headers[.xLimitD]
                head.prefersMinimal = request.headers[.prefer]?.contains("return=minimal") == true
            } else {
                head.lastEventID = request.headers[.lastEventID]
                head.accept = request.headers[.accept]
                head.language = request.language
            }
            return try make(self, head)
        }
        // A document takes many times its size in memory when it is parsed as a whole, so its limit is smaller.
        // Without a service, the body is in the memory of this process already.
        let limit = site.url == nil ? Int.max : route.maxBody ?? min(maxBody, Self.maxDocument)
        if let length = head.contentLength, length > limit { throw .tooLarge(what: .body, limit: .bytes(limit)) }
        head.ifMatch = request.headers[.ifMatch]
        head.ifNoneMatch = request.headers[.ifNoneMatch]
        head.accept = request.headers[.accept]
        head.acceptsGzip = request.headers[.acceptEncoding]?.contains("gzip") == true
        head.language = request.language
        return CollectingHandler(self, route: route, head: head, limit: limit)
    }

    /// Checks that the route knows each name in the query, because a misspelled filter would return everything. Requests of trackers and
    /// probes may have unknown names.
    private func checkQuery(of target: Target, route: Route<API>) throws(Problem) {
        if route.access == .open { return }
        if case .handler = route.work, route.access == .ingest { return }
        if let flaw = target.queryFlaw { throw flaw }
        let known = route.description.query
        guard let unknown = target.query.first(where: { pair in !known.contains { $0.name == pair.name } }) else { return }
        throw .validationFailed(
            field: unknown.name, value: String(unknown.value.prefix(60)), reason: Phrase("this address has no such parameter"),
            expected: known.isEmpty ? Phrase("no parameters") : .oneOf(known.map(\.name)))
    }

    /// Counts healthy phones and open problems for the metrics, and records the health of phones that has changed since it was last
    /// recorded.
    ///
    /// - Parameter done: Called when this has been done or has failed, with what was found, or nil.
    func updateHealthMetrics(_ done: @escaping @Sendable (Queries.HealthSurvey?) -> Void) {
        let isTaken = store.heavyReaders.submit({ service throws(Problem) in
            (try service.surveyHealth(), problems: try service.recordedProblemTotals())
        }) { [self] result in
            switch result {
            case .success(let (survey, problems)):
                let totals = survey.totals
                diagnostics.jobs.recordEnd(of: .health)
                diagnostics.metrics.openProblems.set(problems.standing)
                diagnostics.metrics.escalatedProblems.set(problems.escalated)
                diagnostics.metrics.healthyDevices.set(totals.healthy)
                diagnostics.metrics.unhealthyDevices.set(totals.unhealthy)
                diagnostics.metrics.unknownDevices.set(totals.unknown)
                diagnostics.metrics.staleDevices.set(totals.stale)
                record(survey, done)
            case .failure(let problem):
                diagnostics.jobs.recordEnd(of: .health, problem: problem)
                done(nil)
            }
        }
        if !isTaken { done(nil) }
    }

    private func record(_ survey: Queries.HealthSurvey, _ done: @escaping @Sendable (Queries.HealthSurvey?) -> Void) {
        let isTaken = store.writer.submit({ service throws(Problem) in
            try service.resolveEndedIntakeProblems()
            try service.record(survey)
        }) { [self] result in
            if case .failure(let problem) = result { diagnostics.jobs.recordEnd(of: .health, problem: problem) }
            done(survey)
        }
        if !isTaken { done(nil) }
    }

    func connectionsChanged(by difference: Int) { diagnostics.metrics.connections.add(difference) }

    func ended(_ summary: ExchangeSummary) {
        // The client disconnected before the answer.
        guard summary.status > 0 else { return }
        diagnostics.metrics.requests.add(.init(status: Int(summary.status)))
        if summary.isRejectedForLoad { diagnostics.metrics.rejectedRequests.add() }
        if summary.isStream, summary.isStalled {
            streams.dropped.add()
            diagnostics.log.warning(
                "stream", "A stream was closed because its client read nothing for too long.",
                fields: [.text("client", summary.client)])
        }
        if !summary.isStream { diagnostics.metrics.requestTime.observe(summary.seconds) }
        let isRefused = summary.status == 401 || summary.status == 403
        guard summary.status >= 500 || isRefused || diagnostics.log.writes(.debug) else { return }
        // The query is not logged, because it may contain a token or a position.
        let path = String(summary.path.prefix { $0 != "?" })
        let fields: [LogField] = [
            .text("method", summary.method), .text("path", path), .number("status", Int(summary.status)),
            .seconds("seconds", summary.seconds), .text("client", summary.client),
        ]
        if summary.status >= 500 {
            diagnostics.log.warning("request", "A request failed.", reason: "\(summary.status)", fields: fields)
        } else if isRefused {
            diagnostics.log.warning("refused", "A request was refused.", reason: "\(summary.status)", fields: fields)
        } else {
            diagnostics.log.debug("request", "A request was answered.", fields: fields)
        }
    }

    /// Counts and logs refused input.
    func recordRefusals(_ refusals: [Refusal]) {
        diagnostics.metrics.countRefusals(refusals)
        diagnostics.log.logRefusals(refusals)
    }
}

/// Collects the whole body, and then has the request answered according to its route.
private final class CollectingHandler: RequestHandler {
    private let api: API
    private let route: Route<API>
    private let head: Head
    private let limit: Int
    private var body: [UInt8] = []

    init(_ api: API, route: Route<API>, head: Head, limit: Int) {
        self.api = api
        self.route = route
        self.head = head
        self.limit = limit
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        guard body.count + bytes.count <= limit else {
            return .problem(.tooLarge(what: .body, limit: .bytes(limit)))
        }
        // The array would grow by doubling, which takes up to three times the body. What is reserved is at most 16 times what has arrived.
        if let length = head.contentLength, body.capacity < length, (body.count + bytes.count) * 16 >= length {
            body.reserveCapacity(length)
        }
        unsafe body.append(contentsOf: bytes)
        return nil
    }

    var heldBytes: Int { body.count }

    func finish() -> RequestOutcome {
        let api = api
        let call = Call(
            head: head, body: body, store: api.store, isHeavy: route.isHeavy(for: head.target), admission: api.admission(of: head)
        )
        switch route.work {
        case .now(let work):
            do throws(Problem) {
                return .now(try work(api, call))
            } catch {
                return .now(.problem(error))
            }
        case .read(let work):
            return .later { [call] reply in
                call.readers.submit(
                    for: call.client, { service throws(Problem) in try work(service, call) }, { reply(Response($0)) })
            }
        case .write(let work):
            return .later { [call] reply in
                api.store.writer.submit(
                    { service throws(Problem) in
                        try call.admission?()
                        return try work(service, call)
                    }, { reply(Response($0)) })
            }
        case .task(let work):
            return .later { [call] reply in
                api.backgroundTasks.run {
                    do throws(Problem) {
                        reply(try await work(api, call))
                    } catch {
                        reply(error == Readers.overload ? .turnedAway(retryAfter: 3) : .problem(error))
                    }
                }
            }
        case .handler: return .now(.problem(.unknown(details: Phrase("the route reads its own body"))))
        }
    }
}

extension Response {
    /// The answer, or the problem instead of it.
    init(_ result: Result<Response, Problem>) {
        switch result {
        case .success(let response): self = response
        case .failure(let problem): self = .problem(problem)
        }
    }
}
