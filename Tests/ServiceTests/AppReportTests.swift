import Foundation
import Model
import TestSupport
import Testing

@testable import Service

@Suite("Reports of apps")
struct AppReportTests {
    @Test("More regions or failures than a system can have are refused with the field", arguments: ["regions", "failures"])
    func most(field: String) throws {
        func region(_ number: Int) -> JSONValue {
            [
                "identifier": .string("picket/\(number)"), "latitude": JSONValue(52.5), "longitude": JSONValue(13.4),
                "radius": JSONValue(100),
            ]
        }
        let failure: JSONValue = ["identifier": "picket/a", "code": "unavailable"]
        func report(_ count: Int) -> JSONValue {
            let list = JSONValue.array((0..<count).map { field == "regions" ? region($0) : failure })
            return .object(
                [.init("authorizationStatus", "always"), .init(field, list)]
                    + (field == "regions" ? [] : [.init("regions", .array([]))]))
        }
        let bench = try Workbench()
        try bench.service.save(Device(id: "phone", platform: .ios, registry: .app))
        _ = try bench.service.storeReport(report(1000), of: "phone")
        let problem = #expect(throws: Problem.self) { try bench.service.storeReport(report(1001), of: "phone") }
        #expect(
            problem == .validationFailed(field: field, value: "1001", reason: .tooMany, expected: .atMost(1000)))
    }
}
