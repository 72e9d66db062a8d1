import Ingest
import Model
import Places
import Presence
import Routing
import Service
import Settings

/// Receives positions, decodes them as they arrive, and answers when they are stored.
final class PositionsHandler: RequestHandler {
    private let api: API
    private let token: Token?
    private let scope: ReportScope
    private let admission: Writer.Admission?
    private let policy: PolicyOverride?
    private let options: DecodingOptions
    /// Whether the answer contains the number of events instead of the events.
    private let isMinimal: Bool
    private let contentType: String
    /// The length of the body in bytes, when the head gives it.
    private let length: Int?
    /// Created when the body is not one plain position.
    private var decoder: FixDecoder?
    private var unpacker: GzipReader?
    private let isOwnCommand: Bool
    private var batch = FixBatch()
    private var failure: Problem?
    /// The number of bytes received.
    private var count = 0
    /// The number of bytes decoded, which is greater if the body is compressed.
    private var decoded = 0
    private(set) var unusedBytes = 0
    /// The number of bytes after which the decoding of a compressed part continues later. A few bytes can stand for megabytes.
    private static let mostDecodedAtOnce = 65_536

    init(_ api: API, _ head: Head) throws(Problem) {
        self.api = api
        token = head.token
        isOwnCommand = head.isOwnCommand
        scope = ReportScope(api.store, head)
        admission = api.admission(of: head)
        contentType = head.contentType
        length = head.contentLength
        if let length, length > api.maxBody { throw Self.tooLarge(api) }
        if let flaw = head.target.queryFlaw { throw flaw }
        var options = api.store.writer.decodingOptions(ofDevice: head.onlyDevice)
        var returnsEvents = !head.prefersMinimal && head.token?.role != .ingest
        if !head.target.query.isEmpty {
            let call = Call(head: head, store: api.store)
            policy = try call.target["policy"].map { text throws(Problem) in try PolicyOverride(text, field: "policy") }
            if policy != nil, let token = head.token, !token.role.mayChange {
                throw .forbidden(
                    details: Phrase(
                        """
                        the token '\(token.name)' has the role \(token.role.rawValue), which may not change the policy of a \
                        device; leave 'policy' out
                        """))
            }
            options.device = call.target["device"]
            if call.target["events"] != nil { returnsEvents = try call.flag("events") }
            if let name = call.target["inputTimezone"] {
                options.timeZone = .zone(try LocalTimeZone(named: name, field: "inputTimezone"))
            }
            options.dateOrder = try call.oneOf("dateOrder", DateOrder.self)
            options.allowsNullIsland = try call.flag("allowNullIsland")
            options.start = try call.instant("start")
            options.interval = try call.duration("interval", in: 0...86_400)
        } else {
            policy = nil
        }
        // The token determines to whom the tracks belong.
        if head.onlyDevice != nil { options.tracks = .oneDevice }
        self.options = options
        isMinimal = !returnsEvents
    }

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
        let isWhole = count == 0 && bytes.count == length
        count += bytes.count - unusedBytes
        unusedBytes = 0
        guard count <= api.maxBody else {
            return .problem(Self.tooLarge(api))
        }
        guard failure == nil else { return nil }
        if isWhole, bytes.count <= PlainPositionReader.maxBytes, options.device == nil, !options.allowsNullIsland,
            api.plainReaders.use({ unsafe $0.read(bytes, into: &batch) })
        {
            return nil
        }
        var decoder = self.decoder ?? FixDecoder(source: .body, contentType: contentType, options: options)
        self.decoder = nil
        let unpacker = self.unpacker ?? GzipReader(source: .body)
        self.unpacker = unpacker
        do throws(Problem) {
            var offset = 0
            let pause = decoded + Self.mostDecodedAtOnce
            while let piece = try unsafe unpacker.nextPiece(of: bytes, from: &offset) {
                decoded += piece.count
                if decoded > api.maxBody { throw Self.tooLarge(api) }
                try unsafe decoder.decode(piece, into: &batch)
                if decoded >= pause, offset < bytes.count {
                    unusedBytes = bytes.count - offset
                    break
                }
            }
        } catch {
            failure = error
        }
        self.decoder = decoder
        // A body with more refusals does not contain positions, and the list of refusals would be larger than the body.
        if batch.refusals.count > IntakeResult.maxRefusals, failure == nil {
            failure = .validationFailed(
                field: "body", value: "",
                reason: Phrase("more than \(IntakeResult.maxRefusals) of its positions are invalid, so none were stored"),
                expected: Phrase("positions; the first refused field is \(batch.refusals[0].field): \(batch.refusals[0].reason)"))
            batch = FixBatch()
            self.decoder = nil
        }
        return nil
    }

    /// The names in the batch, the texts of refusals and the beginning of the next position take no more than the body.
    var heldBytes: Int { failure == nil ? max(count, decoded) + batch.heldBytes : 0 }

    private static func tooLarge(_ api: API) -> Problem {
        .tooLarge(what: .body, limit: Phrase("\(api.maxBody) bytes; send it in parts"))
    }

    func finish() -> RequestOutcome {
        do throws(Problem) {
            if let failure { throw failure }
            try unpacker?.finish()
            try decoder?.finish(into: &batch)
            if batch.isEmpty {
                throw .validationFailed(
                    field: "body", value: "", reason: .noPositions, expected: Phrase("one position or more"))
            }
            if let onlyDevice = token?.onlyDevice { try batch.restrict(to: onlyDevice) }
            try scope.check(&batch)
            api.tokenUses.record(token, reportingFor: batch.deviceNames.first)
        } catch {
            return .now(.problem(error))
        }
        let (api, policy, admission) = (api, policy, admission)
        batch.isOfCommand = isOwnCommand
        let (isMinimal, remarks, isForOverland) = (isMinimal, batch.remarks, batch.isOfOverland)
        let ordered = takeBatch()
        return .later { reply in
            api.store.writer.submit(ordered, policy: policy, admission: admission) {
                reply(.answer($0, isMinimal: isMinimal, remarks: remarks, isForOverland: isForOverland))
            }
        }
    }

    /// Sorts the batch in place. It is not kept here, because a second owner would cost a copy.
    private func takeBatch() -> TimeOrderedBatch {
        var taken = FixBatch()
        swap(&taken, &batch)
        return TimeOrderedBatch(taken)
    }
}

extension Response {
    /// The result of an intake:
    /// `{"accepted","duplicates","late","waiting","refused","refusedCount","timesWithoutZone","eventCount","events"}`.
    ///
    /// - Parameters:
    ///   - isMinimal: Whether the answer has no `events`.
    ///   - remarks: Remarks on how the body was read, which the answer has only if there are any.
    ///   - isForOverland: Whether the answer to an accepted request also has `"result":"ok"`, after which Overland deletes what it sent.
    fileprivate static func answer(
        _ result: Result<IntakeResult, Problem>, isMinimal: Bool, remarks: [Phrase], isForOverland: Bool
    ) -> Response {
        let taken: IntakeResult
        switch result {
        case .failure(let problem): return .problem(problem)
        case .success(let result): taken = result
        }
        let counts = taken.counts
        // When all positions were refused, the status shows that.
        let status: UInt32 = counts.accepted + counts.duplicates == 0 && counts.refused > 0 ? 422 : 200
        func body(isMinimal: Bool) -> Body {
            .made {
                var text = JSONBytes()
                taken.write(
                    into: &text, isMinimal: isMinimal, remarks: remarks, isForOverland: isForOverland && status == 200)
                return text.bytes
            }
        }
        var response = Response(status: status, contentType: "application/json", body: body(isMinimal: isMinimal))
        if isMinimal { return response.with("Preference-Applied", "return=minimal") }
        response.shortBody = body(isMinimal: true)
        return response
    }
}

extension IntakeResult {
    fileprivate func write(into text: inout JSONBytes, isMinimal: Bool, remarks: [Phrase], isForOverland: Bool) {
        text.beginObject()
        if isForOverland { text.member("result", "ok") }
        text.member("accepted", counts.accepted)
        text.member("duplicates", counts.duplicates)
        text.member("late", counts.late)
        text.member("waiting", counts.waiting)
        text.name("refused")
        text.beginArray()
        for refusal in BoundedList(refusals) {
            text.element()
            text.write(Refusal.positionShape.encode(refusal))
        }
        text.endArray()
        text.member("refusedCount", counts.refused)
        if let times = timesWithoutZone.json {
            text.name("timesWithoutZone")
            text.write(times)
        }
        if !remarks.isEmpty {
            text.name("remarks")
            text.beginArray()
            for remark in remarks {
                text.element()
                text.write(InputRemark.shape.encode(InputRemark(reason: remark)))
            }
            text.endArray()
        }
        text.member("eventCount", counts.events)
        if !isMinimal {
            text.name("events")
            text.beginArray()
            for event in events {
                text.element()
                event.write(into: &text)
            }
            text.endArray()
        }
        text.endObject()
    }
}

extension FixBatch {
    /// Makes sure that all positions and alarms belong to one device. Those without a device are assigned to it.
    ///
    /// - Throws: `Problem.forbidden` when one names another device.
    fileprivate mutating func restrict(to device: String) throws(Problem) {
        for row in rows where row.device >= 0 && deviceNames[Int(row.device)] != device {
            throw .forbidden(
                details: Phrase(
                    "the token is for the device '\(device)', but a position belongs to '\(deviceNames[Int(row.device)])'"))
        }
        for alarm in alarms {
            if let other = alarm.device, other != device {
                throw .forbidden(details: Phrase("the token is for the device '\(device)', but an alarm belongs to '\(other)'"))
            }
        }
        attribute(to: device)
    }

    /// Assigns all positions, alarms and refusals to one device.
    mutating func attribute(to device: String) {
        let number = number(ofDevice: device)
        for index in rows.indices { rows[index].device = number }
        for index in refusals.indices { refusals[index].device = device }
        for index in alarms.indices { alarms[index].device = device }
    }
}
