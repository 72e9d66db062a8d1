import Core
import Ingest
import Model
import Places
import Registrations
import Routing
import Service

/// Receives a report that was not authenticated, records which devices it names, and answers with the problem of the authentication.
final class RefusedReport: RequestHandler {
    /// The sender of a report, as far as the head of the request names it.
    struct Sender {
        var target: Target
        var contentType: String
        var limitUser: String?
        var limitDevice: String?
        /// The user in Basic credentials.
        var user: String?
        var hasToken: Bool
        /// The numeric IP address.
        var address: String
    }

    private let api: API
    private let reportProtocol: WaitingDevice.ReportProtocol
    private let sender: Sender
    private let problem: Problem
    private var body: [UInt8] = []

    /// The maximum number of bytes of a body that are examined.
    static let maximumBody = 16_384

    init(_ api: API, route: Route<API>, sender: Sender, problem: Problem) {
        self.api = api
        reportProtocol = .init(route)
        self.sender = sender
        self.problem = problem
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        if body.count + bytes.count <= Self.maximumBody { unsafe body.append(contentsOf: bytes) }
        return nil
    }

    var heldBytes: Int { body.count }

    func finish() -> RequestOutcome {
        recordDevices()
        return .now(.problem(problem))
    }

    /// Records the devices that the report names as waiting.
    func recordDevices() {
        let names = names.filter { Identifier.flaw(inDevice: $0) == nil }
        if names.isEmpty { return }
        api.waitingDevices.recordReport(
            of: names, by: reportProtocol, from: sender.address, hasToken: sender.hasToken, at: api.store.clock.now())
    }

    /// The distinct devices that the report names. The report is decoded for that, and then discarded.
    private var names: [String] {
        var batch = FixBatch()
        switch reportProtocol {
        case .osmAnd:
            let query = sender.target.query.filter { $0.name != Target.tokenField }
            let outcome = unsafe body.withUnsafeBufferPointer { body in
                unsafe OsmAnd.decode(
                    query: query, body: body, contentType: sender.contentType, now: api.store.clock.now(), into: &batch)
            }
            switch outcome {
            case .keepAlive(let device), .notificationToken(let device): return [device]
            case .positions, .missingID, .invalidID, .unreadable: break
            }
        case .ownTracks:
            let names = OwnTracksSender(
                user: sender.limitUser ?? sender.target["u"] ?? sender.user, device: sender.limitDevice ?? sender.target["d"])
            if let device = names.deviceId { return [device] }
            let messages = unsafe body.withUnsafeBufferPointer { unsafe batch.addOwnTracks($0, of: names, field: "body") }
            if batch.deviceNames.isEmpty, let device = messages.lazy.compactMap(\.device).first ?? names.user ?? names.device {
                return [device]
            }
        case .positions:
            if let device = sender.target["device"] { return [device] }
            decode(into: &batch)
        }
        let refused = batch.refusals.compactMap(\.device)
        return batch.deviceNames + Set(refused).subtracting(batch.deviceNames).sorted()
    }

    private func decode(into batch: inout FixBatch) {
        var decoder = FixDecoder(source: .body, contentType: sender.contentType)
        do throws(Problem) {
            try unsafe body.withUnsafeBufferPointer { body throws(Problem) in
                try unsafe decoder.decode(body, into: &batch)
            }
            try decoder.finish(into: &batch)
        } catch {
            // The devices of the positions before the error are used. The error is ignored, because the report is rejected anyway.
        }
    }
}
