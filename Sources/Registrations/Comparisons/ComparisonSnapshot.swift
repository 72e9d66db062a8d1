import Comparison
import Model
import Registry

extension AppLogComparison.Snapshot {
    /// Reads the body of `PUT /v1/devices/{id}/registry`, or what `picket registry show --json` prints.
    ///
    /// - Throws: `Problem.validationFailed` for a missing or invalid field.
    package init(json: JSONValue) throws(Problem) {
        guard json["isListed"] != nil else {
            // The time of the report has no meaning if there is none.
            let report = try AppRegionList(json: json, at: .latest)
            self.init(report.snapshot, hasTime: json["reportedAt"].map { $0 != .null } ?? false)
            return
        }
        guard let authorization = json["authorizationStatus"]?.string.flatMap(Authorization.init(rawValue:)) else {
            throw .validationFailed(
                field: "authorizationStatus", value: json["authorizationStatus"]?.string ?? "", reason: .missing,
                expected: .oneOf(Authorization.allCases.map(\.rawValue)))
        }
        var content = RegistrySnapshot(
            takenAt: .earliest, authorization: authorization,
            locationServicesEnabled: json["locationServicesEnabled"]?.bool ?? true,
            preciseLocation: json["preciseLocation"]?.bool ?? true)
        // A list that the operating system does not give contains what should be registered, which proves nothing.
        if json["isListed"]?.bool == true {
            content.regions = try (json["regions"]?.array ?? []).enumerated().map { number, json throws(Problem) in
                try Region(json: json, number: number)
            }
        }
        self.init(content, hasTime: false)
    }
}
