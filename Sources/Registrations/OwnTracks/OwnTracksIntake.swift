import Core
import Ingest
import Model
import Presence
import Service

extension ServiceWriter {
    /// Accepts one request of an OwnTracks app in consecutive transactions: first its positions, because they create a new device, then its
    /// other messages as evidence or as signs of life.
    ///
    /// An encrypted message is decrypted with the device's key, and refused if that fails. A region report before the device's first
    /// position is counted as refused, but stored.
    ///
    /// - Parameters:
    ///   - batch: The positions, and the refused parts of the request.
    ///   - messages: The other messages of the request.
    func accept(_ batch: FixBatch, _ messages: [OwnTracksMessage]) throws(Problem) -> IntakeResult {
        var batch = batch
        var evidence: [Evidence] = []
        // An encrypted message is a sign of life even if it cannot be decrypted.
        var heard = messages.compactMap { $0.kind == .encrypted ? $0.device : nil }
        let readable = try decrypt(messages, into: &batch)
        try evaluateTimes(of: batch)
        for message in readable {
            guard let device = message.device else {
                batch.refusals.append(.namesNoDevice(message))
                continue
            }
            switch message.kind {
            case .transition, .waypoint, .waypoints, .status, .dump:
                evidence.append(Evidence(deviceId: device, time: message.time, json: message.json))
                if message.kind == .transition, try !hasPosition(device, in: batch) {
                    batch.refusals.append(.beforeFirstPosition(message, of: device))
                }
            // The broker publishes the last will after the device is gone, so it is not a sign of life.
            case .lwt: break
            default: heard.append(device)
            }
        }
        var result = batch.isEmpty ? IntakeResult() : try accept(batch)
        if !evidence.isEmpty || !heard.isEmpty { try store(evidence, signsOfLife: heard) }
        try processRegistrations(readable)
        result.listedDevices = Set(readable.lazy.filter { $0.kind == .waypoints }.compactMap(\.device))
        return result
    }

    /// Whether a device has already sent a position, or sends one in this batch.
    private func hasPosition(_ device: String, in batch: FixBatch) throws(Problem) -> Bool {
        if batch.rows.contains(where: { $0.device >= 0 && batch.deviceNames[Int($0.device)] == device }) { return true }
        return try deviceIndex(of: device).map { loadedDevices[$0].state.newest != nil } ?? false
    }

    /// The time of the newest position of a device, or `earliest` if it has none; nil if the device is not known.
    func newestFixTime(ofDevice id: String) throws(Problem) -> Instant? {
        guard try hasDevice(id: id), let deviceIndex = try deviceIndex(of: id) else { return nil }
        return loadedDevices[deviceIndex].state.newestFixTime ?? .earliest
    }
}

extension Writer {
    /// Submits one request of an OwnTracks app to the writer; see `ServiceWriter.accept(_:_:)`.
    ///
    /// - Returns: The same as `submit(_:policy:_:)`.
    package func submit(
        _ batch: FixBatch, messages: [OwnTracksMessage], admission: Admission? = nil, completion: @escaping IntakeCompletion
    ) -> Bool {
        // A request with positions only can share a transaction with those of other devices.
        if messages.isEmpty { return submit(batch, admission: admission, completion) }
        return submit(
            intake: { service throws(Problem) in
                try admission?()
                return try service.accept(batch, messages)
            }, completion)
    }
}

extension FixBatch {
    /// Adds one request of an OwnTracks app: its positions, and its refused parts.
    ///
    /// - Parameters:
    ///   - options: Only the options about times are used.
    ///   - field: The name of the bytes in a refusal.
    /// - Returns: The messages that are not positions.
    package mutating func addOwnTracks(
        _ bytes: UnsafeBufferPointer<UInt8>, of sender: OwnTracksSender, options: DecodingOptions = DecodingOptions(),
        field: String
    ) -> [OwnTracksMessage] {
        switch OwnTracks.decode(bytes, sender: sender, options: options, into: &self) {
        case .empty: return []
        case .unreadable(let reason):
            refusals.append(Refusal(.malformed, device: sender.deviceId, field: field, value: "", reason: reason))
            return []
        case .understood(let messages): return messages
        }
    }
}

extension Refusal {
    /// The refusal of a message that does not identify its device.
    fileprivate static func namesNoDevice(_ message: OwnTracksMessage) -> Refusal {
        Refusal(
            .unknownDevice, line: message.line, field: "device", value: message.type,
            reason: .expecting(.missing, .userAndDevice))
    }

    fileprivate static func beforeFirstPosition(_ message: OwnTracksMessage, of device: String) -> Refusal {
        Refusal(
            .beforeFirstPosition, device: device, line: message.line, field: "_type", value: message.type,
            reason: Phrase("the device has sent no position yet; the report is kept, but causes no event"))
    }
}
