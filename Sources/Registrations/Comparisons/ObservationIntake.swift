import Comparison
import Core
import Model
import Presence
import Store

extension ServiceWriter {
    /// Stores observations of a device's app, and records a sign of life. An unknown device is created, as by a position.
    ///
    /// - Parameter decoded: What was read; its refusals are in the answer.
    func storeObservations(
        _ decoded: AppLogDecoder.Result, of id: String
    ) throws(Problem) -> ObservationAnswer {
        if let reason = Identifier.flaw(inDevice: id) {
            throw .validationFailed(field: "device", value: id, reason: reason, expected: .deviceID)
        }
        let now = clock.now()
        var answer = ObservationAnswer(refusals: decoded.refusals)
        var usable: [AppObservation] = []
        for (line, observation) in zip(decoded.lines, decoded.observations) {
            if observation.at > now + SystemClock.tolerance {
                answer.refusals.append(
                    Refusal(
                        .aheadOfClock, device: id, line: line, field: "at", value: observation.at.description,
                        reason: .expecting(.tooFarAhead, .pastTime)))
            } else {
                usable.append(observation)
            }
        }
        if usable.isEmpty { return answer }
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            _ = try loadOrCreateDevice(of: id, in: transaction)
            let stored = try storedDevice(id: id)
            var added: [AppObservation] = []
            for observation in usable {
                let isNew = try store.appendObservation(
                    observation.json, of: stored.key, at: observation.at, receivedAt: now, in: transaction)
                if isNew { added.append(observation) } else { answer.duplicates += 1 }
            }
            answer.accepted = added.count
            try recordLosses(in: added, of: stored.key, stored.device, transaction)
            try recordSignOfLife(deviceId: id, at: now, in: transaction)
            return answer
        }
    }
}
