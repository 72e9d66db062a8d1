import Core
import Model
import Places
import Presence
import Reconciler
import Store

extension Queries {
    /// The health of at most `limit` managed devices after an id, sorted by id, each with the reason why its regions could not be read.
    ///
    /// - Parameter isCounting: Whether to include how many enters and exits each phone has reported.
    func health(
        after id: String?, limit: Int, countingReports isCounting: Bool = false
    ) throws(Problem) -> Page<(status: GeofenceHealthStatus, problem: Problem?)> {
        var filter = DeviceFilter()
        filter.isManaged = true
        let devices = Page(try store.devices(filter, after: id, limit: limit + 1), limit: limit, place: \.device.id)
        var found: [(status: GeofenceHealthStatus, problem: Problem?)] = []
        try holdingCandidates { () throws(Problem) in
            for stored in devices.items {
                let status = try health(of: stored.device).status
                found.append((isCounting ? try withReportedTransitions(status) : status, registryProblem))
            }
        }
        return Page(found, next: devices.next)
    }

    /// The outcomes of a device's repairs, newest first.
    ///
    /// - Parameter place: The value of `Page.next` of the preceding page; nil for the first page.
    /// - Throws: `Problem.validationFailed` if `place` is invalid.
    func repairs(of id: String, after place: String?, limit: Int) throws(Problem) -> Page<RepairRecord> {
        let number = place.map { Int64($0) ?? -1 }
        if number == -1 {
            throw .validationFailed(
                field: "after", value: place ?? "", reason: .namesNothing(.repair), expected: .whatWasSaid("next"))
        }
        let found = try store.repairs(of: storedDevice(id: id).key, before: number, limit: limit + 1)
        return Page(found, limit: limit) { String($0.number) }.map(\.report)
    }
}
