import Ingest
import Model
import Service

/// Takes positions, decodes them as they come, and answers when they are kept.
final class PositionsHandler: RequestHandler {
    private let api: API
    private let onlyDevice: String?
    private let policy: DecisionPolicy.Name?
    private var decoder: FixDecoder
    private var batch = FixBatch()
    private var failure: Problem?
    private var count = 0

    init(_ api: API, _ head: Head) throws(Problem) {
        self.api = api
        onlyDevice = head.onlyDevice
        let call = Call(head: head, body: [])
        policy = try call.oneOf("policy", DecisionPolicy.Name.self)
        var options = DecodingOptions(device: head.target["device"])
        options.start = try call.instant("start")
        options.allowsNullIsland = try call.flag("allowNullIsland")
        decoder = FixDecoder(source: "the body", options: options)
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        count += bytes.count
        guard count <= api.maxBody else {
            return .problem(.tooLarge(what: "The body", limit: "\(api.maxBody) bytes; send it in parts"))
        }
        guard failure == nil else { return nil }
        do throws(Problem) {
            try unsafe decoder.decode(bytes, into: &batch)
        } catch {
            failure = error
        }
        return nil
    }

    func finish() -> Outcome {
        do throws(Problem) {
            if let failure { throw failure }
            try decoder.finish(into: &batch)
            if batch.rows.isEmpty, batch.refusals.isEmpty {
                throw .validationFailed(
                    field: "body", value: "", reason: "there are no positions in it", expected: "one position or more")
            }
            if let onlyDevice { try batch.restrict(to: onlyDevice) }
        } catch {
            return .now(.problem(error))
        }
        let (api, policy) = (api, policy)
        batch.sortByTime()
        let taken = batch
        return .later { reply in
            api.writer.submit(taken, policy: policy) { result in
                switch result {
                case .success(let result): reply(Self.answer(result))
                case .failure(let problem): reply(.problem(problem))
                }
            }
        }
    }

    /// `{"accepted","duplicates","late","refused","events"}`
    private static func answer(_ result: IntakeResult) -> Response {
        let counts = result.counts
        var text = "{\"accepted\":\(counts.accepted),\"duplicates\":\(counts.duplicates),\"late\":\(counts.late),\"refused\":["
        for (number, refusal) in result.refusals.enumerated() {
            if number > 0 { text += "," }
            JSONValue.compact([
                ("index", refusal.line.map { JSONValue($0 - 1) }),
                ("field", .string(refusal.field)),
                ("value", .string(refusal.value)),
                ("reason", .string(refusal.reason)),
            ]).write(into: &text)
        }
        text += "],\"events\":["
        for (number, event) in result.events.enumerated() {
            if number > 0 { text += "," }
            event.json.write(into: &text)
        }
        text += "]}"
        // Nothing taken and something refused: the sender should know by the status.
        let status: UInt32 = counts.accepted + counts.duplicates == 0 && counts.refused > 0 ? 422 : 200
        return Response(status, "application/json", .text(text))
    }
}

extension FixBatch {
    /// Makes sure that all positions are of one device; those that name none are.
    ///
    /// - Throws: `Problem.forbidden` when one is of another.
    mutating func restrict(to device: String) throws(Problem) {
        if let other = deviceNames.first(where: { $0 != device }), !rows.isEmpty {
            throw .forbidden(details: "the token is for the device '\(device)', and a position is of '\(other)'")
        }
        let number = number(ofDevice: device)
        for index in rows.indices where rows[index].device < 0 { rows[index].device = number }
    }
}
