import Geocoding
import Model

/// The stops of a device, with their addresses if these were requested.
package struct StopList: Sendable {
    package var stops: [Stop]
    /// How many addresses a further request looks up, because the geocoder answers slowly; nil for none.
    package var pendingAddresses: Int?
    /// Why addresses are missing, or could not be stored; nil if there is no such reason.
    package var addressProblem: Problem?
    /// What has to be shown with addresses; nil if there are none.
    package var attribution: String?
}

extension StopList: JSONDescribed {
    package static let shape = JSONShape<StopList>(
        "StopList", summary: "The stops of a device",
        .init("stops", kind: .list(of: .object), summary: "In order of time", content: \.stops),
        .init(
            "pendingAddresses", optional: .whole,
            summary: "With addresses=true: how many addresses are not looked up yet; the same request looks up the next ones",
            content: \.pendingAddresses),
        .init("addressProblem", optional: .problem, content: \.addressProblem),
        .init("attribution", optional: .text, summary: "What has to be shown with the addresses", content: \.attribution)
    ) { StopList(stops: $0, pendingAddresses: $1, addressProblem: $2, attribution: $3) }
}

extension StopList {
    /// Adds what is known of the addresses.
    mutating func add(_ answers: GeocoderAnswers) {
        for index in stops.indices { stops[index].address = answers.address(of: stops[index].coordinate) }
        pendingAddresses = answers.pending > 0 ? answers.pending : nil
        addressProblem = answers.problem
        attribution = stops.contains { $0.address != nil } ? Geocoder.attribution : nil
    }
}
