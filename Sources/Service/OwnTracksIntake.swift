import Ingest
import Model
import Store

extension ServiceWriter {
    /// Takes what an OwnTracks app sent at once, in one transaction after the other: its positions first, because they make a device
    /// that is new; then its other messages, as evidence or as signs of life.
    ///
    /// An encrypted message is decrypted with the device's key; without the right key it is refused. A report of a region before the
    /// first position is refused too, and kept all the same.
    ///
    /// - Parameters:
    ///   - batch: The positions, and what was refused of them.
    ///   - messages: The other messages of the same request.
    public func accept(_ batch: FixBatch, _ messages: [OwnTracksMessage]) throws(Problem) -> IntakeResult {
        var batch = batch
        var evidence: [Evidence] = []
        // Who encrypts lives, whether the message can be read or not.
        var heard = messages.compactMap { $0.kind == .encrypted ? $0.device : nil }
        let readable = try decrypt(messages, into: &batch)
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
            // The last will is told by others, when the device is gone.
            case .lwt: break
            default: heard.append(device)
            }
        }
        var result = batch.isEmpty ? IntakeResult() : try accept(batch)
        if !evidence.isEmpty || !heard.isEmpty { try note(evidence, heard: heard) }
        try takeRegistrations(readable)
        result.listedDevices = Set(readable.lazy.filter { $0.kind == .waypoints }.compactMap(\.device))
        return result
    }

    /// Whether a device has sent a position before, or sends one with this batch.
    private func hasPosition(_ device: String, in batch: FixBatch) throws(Problem) -> Bool {
        if batch.rows.contains(where: { $0.device >= 0 && batch.deviceNames[Int($0.device)] == device }) { return true }
        return try slot(of: device).map { slots[$0].state.newest != nil } ?? false
    }
}

extension Writer {
    /// Hands over what an OwnTracks app sent at once; see `ServiceWriter.accept(_:_:)`.
    ///
    /// - Returns: As `submit(_:policy:_:)`.
    public func submit(_ batch: FixBatch, _ messages: [OwnTracksMessage], _ told: @escaping Told) -> Bool {
        // Positions alone share a transaction with those of other devices.
        if messages.isEmpty { return submit(batch, told) }
        return submit({ service throws(Problem) in try service.accept(batch, messages) }, told)
    }
}

extension FixBatch {
    /// Adds what an OwnTracks app sent at once: its positions, and what is refused of it.
    ///
    /// - Parameter field: The name of the bytes in a refusal.
    /// - Returns: The other messages.
    public mutating func addOwnTracks(
        _ bytes: UnsafeBufferPointer<UInt8>, of sender: OwnTracksSender, field: String
    ) -> [OwnTracksMessage] {
        switch OwnTracks.decode(bytes, sender: sender, into: &self) {
        case .empty: return []
        case .unreadable(let reason):
            refusals.append(Refusal(.malformed, device: sender.deviceId, field: field, value: "", reason: reason))
            return []
        case .understood(let messages): return messages
        }
    }
}

extension Refusal {
    /// A message that says nothing of whose it is.
    fileprivate static func namesNoDevice(_ message: OwnTracksMessage) -> Refusal {
        Refusal(
            .unknownDevice, line: message.line, field: "device", value: message.type,
            reason: "it is missing; expected a user and a device id, as the app's settings have them")
    }

    fileprivate static func beforeFirstPosition(_ message: OwnTracksMessage, of device: String) -> Refusal {
        Refusal(
            .beforeFirstPosition, device: device, line: message.line, field: "_type", value: message.type,
            reason: "the device has sent no position yet; the report is kept, and makes no event")
    }
}
