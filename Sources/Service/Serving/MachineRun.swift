import Foundation

/// The run of the machine from its start to its end.
enum MachineRun {
    /// A name that no other run has (random(4): `boot_id`); empty where the system does not tell it.
    static var name: String {
        guard let data = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") else { return "" }
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
