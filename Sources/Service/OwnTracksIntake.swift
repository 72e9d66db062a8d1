import Ingest
import Model
import Store

extension GeofenceService {
    /// Takes what an OwnTracks app sent at once, in one transaction after the other: its positions first, because they make a device
    /// that is new; then its other messages, as evidence or as signs of life.
    ///
    /// An encrypted message is refused, and so is a report of a region before the first position; the report is kept all the same.
    ///
    /// - Parameters:
    ///   - batch: The positions, and what was refused of them.
    ///   - messages: The other messages of the same request.
    public func accept(_ batch: FixBatch, _ messages: [OwnTracksMessage]) throws(Problem) -> IntakeResult {
        var batch = batch
        var evidence: [Evidence] = []
        var heard: [String] = []
        for message in messages {
            if message.kind == .encrypted {
                batch.refusals.append(
                    Refusal(
                        .encrypted, device: message.device, line: message.line, field: "_type", value: message.type,
                        reason: "it is encrypted, and no key is known; expected messages without encryption"))
            }
            guard let device = message.device else {
                if message.kind != .encrypted { batch.refusals.append(.namesNoDevice(message)) }
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
        let result = batch.rows.isEmpty && batch.refusals.isEmpty ? IntakeResult() : try accept(batch)
        if !evidence.isEmpty || !heard.isEmpty { try note(evidence, heard: heard) }
        return result
    }

    /// Whether a device has sent a position before, or sends one with this batch.
    private func hasPosition(_ device: String, in batch: FixBatch) throws(Problem) -> Bool {
        if batch.rows.contains(where: { $0.device >= 0 && batch.deviceNames[Int($0.device)] == device }) { return true }
        return try slot(of: device).map { slots[$0].state.newest != nil } ?? false
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
