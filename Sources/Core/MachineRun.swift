import Foundation

/// Identifies the period since the machine was started.
package enum MachineRun {
    /// A name that is different after each start (random(4): `boot_id`); empty if the system does not provide it.
    package static let name =
        FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id")
        .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
}
