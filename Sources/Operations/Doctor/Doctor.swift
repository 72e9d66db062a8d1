import Core
import Foundation
import Model
import Settings
import Store

/// Checks an installation: its settings, machine, store, devices and geofences. It only reads, beside the process that writes.
///
/// A check that fails becomes a finding itself, and the others continue.
package struct Doctor {
    let directory: DataDirectory
    /// The settings, or why they cannot be used.
    let settings: Result<Settings, Problem>
    let machine: MachineFacts
    let now: Instant
    private var found: [DoctorFinding] = []

    /// Fewer free bytes than this are an error, however slowly the store grows.
    static let minFreeSpace = 64 << 20

    /// - Parameters:
    ///   - settings: The settings, or why they cannot be used.
    ///   - certificate: Checks the certificate of the settings.
    package init(
        of directory: DataDirectory, settings: Result<Settings, Problem>, machine: MachineFacts, at now: Instant,
        certificate: (Settings) -> [DoctorFinding]
    ) {
        self.directory = directory
        self.settings = settings
        self.machine = machine
        self.now = now
        switch settings {
        case .success(let settings):
            found += checkSettings(settings) + certificate(settings)
        case .failure(let problem):
            found.append(.problem(problem, .settings, source: nil))
        }
        found += checkMachine()
        found += checkFiles()
    }

    /// The findings, each once.
    package var findings: [DoctorFinding] {
        var seen: Set<DoctorFinding> = []
        return found.filter { seen.insert($0).inserted }
    }

    /// Checks the store, and its data about devices, phones and geofences.
    ///
    /// - Parameter store: A reader of the store, or why it cannot be opened.
    package mutating func examine(_ store: Result<Queries, Problem>) {
        let queries: Queries
        switch store {
        case .success(let opened): queries = opened
        case .failure(let problem):
            found.append(.problem(problem, .store, source: nil))
            return
        }
        guard queries.hasStore else {
            found.append(.noStore(path: directory.path))
            return
        }
        let before = found.count
        found += attempt(.store) { () throws(Problem) in try checkStore(queries) }
        // The content of a damaged store is not reliable.
        if found[before...].contains(where: { $0.code == "storeCorrupt" }) { return }
        if case .success(let settings) = settings {
            found += attempt(.settings) { () throws(Problem) in try checkSettings(settings, with: queries) }
        }
        found += attempt(.clock) { () throws(Problem) in try checkClock(queries) }
        found += attempt(.disk) { () throws(Problem) in try checkRoom(queries) }
        found += attempt(.problems) { () throws(Problem) in try checkProblems(queries) }
        found += attempt(.devices) { () throws(Problem) in try checkDevices(queries) }
        found += attempt(.phones) { () throws(Problem) in try checkPhones(queries) }
        found += attempt(.geofences) { () throws(Problem) in try checkGeofences(queries) }
    }

    /// The findings of a check. Its failure becomes a finding.
    private func attempt(
        _ area: DoctorFinding.Area, _ check: () throws(Problem) -> [DoctorFinding]
    ) -> [DoctorFinding] {
        do throws(Problem) {
            return try check()
        } catch {
            return [.problem(error, area, source: nil)]
        }
    }

    /// Whether the device's registry is that of a real phone.
    static func isRealPhone(_ device: Device) -> Bool { device.registry == .app || device.registry == .owntracks }

    // MARK: - Journal

    /// The open problems of the journal, without those that the other checks find themselves.
    private func checkProblems(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        var checked = Set(try recentRefusals(queries).map { Queries.DeviceProblem.intake.source(of: $0.device) })
        for device in try queries.devices() where Self.isRealPhone(device) {
            checked.insert(Queries.DeviceProblem.registry.source(of: device.id))
        }
        var findings: [DoctorFinding] = []
        var place: String?
        repeat {
            let page = try queries.problems(withDismissed: false, after: place, limit: 1000)
            for standing in page.items where !checked.contains(standing.source) {
                if let problem = standing.problem {
                    findings.append(.problem(problem, .problems, source: standing.source))
                }
            }
            place = page.next
        } while place != nil
        return findings
    }
}
