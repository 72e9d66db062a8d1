import Core
import Model
import Presence

/// Detects devices with two senders in the positions of a file.
struct SharedIDSearch {
    /// The newest fix of each device, by the number of its name.
    private var newest: [Fix?] = []
    private var detectors: [Int: SharedIDDetector] = [:]

    /// The newest finding of each device.
    private(set) var findings: [String: SharedIDDetector.Detection] = [:]

    /// Adds the next positions of the file.
    mutating func add(_ ordered: TimeOrderedBatch) {
        let batch = ordered.batch
        if newest.count < batch.deviceNames.count {
            newest += Array(repeating: nil, count: batch.deviceNames.count - newest.count)
        }
        for row in batch.rows where row.device >= 0 && row.isValid {
            let device = Int(row.device)
            if let before = newest[device], before.time <= row.fix.time,
                SharedIDDetector.canJump(from: before.coordinate, to: row.fix.coordinate)
            {
                addJump(of: device, from: before, to: row.fix, batch)
            }
            newest[device] = row.fix
        }
    }

    private mutating func addJump(of device: Int, from before: Fix, to fix: Fix, _ batch: FixBatch) {
        guard SharedIDDetector.isJump(from: before, to: fix, .balanced) else { return }
        if let finding = detectors[device, default: SharedIDDetector()].addJump(from: before, to: fix) {
            findings[batch.deviceNames[device]] = finding
        }
    }
}
