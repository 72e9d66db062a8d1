import Geodesy
import Model
import Registry

extension SimulatedAction {
    /// The values of the member `action`.
    enum Name: String, CaseIterable, Sendable {
        case drop, addOrphan, addForeign, reboot, reinstall, authorize, location, set, fail, profile
    }

    /// Reads `{"action":"drop","count":1}` or `"identifiers":[…]`,
    /// `{"action":"addOrphan"|"addForeign","identifier","latitude","longitude", "radius"}`, `{"action":"reboot"}`,
    /// `{"action":"reinstall"}`, `{"action":"authorize","status"}`, `{"action":"location","enabled"}`,
    /// `{"action":"set","setting","value"}`, `{"action":"fail","fault"}` with the fault's values, or
    /// `{"action":"profile","profile"}` with the values of a custom profile: `limit`, `largestRadius`, `exitCushion`.
    ///
    /// - Throws: `Problem.validationFailed` with the name of the invalid member.
    init(json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .action)
        guard let name = try fields.oneOf("action", Name.self) else { throw .missing("action", Name.self) }
        switch name {
        case .drop:
            let names = try fields.texts("identifiers")
            let count = try fields.integer("count")
            guard names.isEmpty || count == nil else {
                throw .validationFailed(
                    field: "count", value: "\(count ?? 0)", reason: .togetherWithIdentifiers,
                    expected: Phrase("either a number of regions or their identifiers"))
            }
            if let count, !(0...10_000).contains(count) {
                throw .validationFailed(
                    field: "count", value: "\(count)", reason: .outOfRange, expected: .wholeNumberIn(0, 10_000))
            }
            self = names.isEmpty ? .drop(count: count ?? 1) : .dropRegions(names)
        case .addOrphan, .addForeign:
            let identifier = try fields.text("identifier") ?? ""
            self = try .adding(identifier, try Self.circle(&fields), isOurs: name == .addOrphan)
        case .reboot: self = .reboot
        case .reinstall: self = .reinstall
        case .authorize:
            guard let status = try fields.oneOf("status", Authorization.self) else {
                throw .missing("status", Authorization.self)
            }
            self = .authorize(status)
        case .location:
            guard let isOn = try fields.flag("enabled") else { throw .missing("enabled", .trueOrFalse) }
            self = .location(isOn: isOn)
        case .set: self = .set(try SimulatedSetting(try fields.text("setting") ?? "", try fields.text("value") ?? ""))
        case .profile: self = .useProfile(try SimulatedProfile(&fields))
        case .fail:
            guard let fault = try fields.oneOf("fault", SimulatedFault.Name.self) else {
                throw .missing("fault", SimulatedFault.Name.self)
            }
            var values: [String] = []
            for value in fault.values {
                switch value {
                case .identifier, .code: values.append(try fields.text(value.rawValue) ?? "")
                case .meters, .seconds: values.append(try fields.number(value.rawValue).map { "\($0)" } ?? "")
                }
            }
            self = .fail(try SimulatedFault(fault, values))
        }
        try fields.finish()
    }

    private static func circle(_ fields: inout JSONFields) throws(Problem) -> Circle {
        var values: [Double] = []
        for (name, expected) in [("latitude", Phrase.degrees), ("longitude", .degrees), ("radius", .meters)] {
            guard let value = try fields.number(name) else { throw .missing(name, expected) }
            values.append(value)
        }
        return Circle(center: Coordinate(latitude: values[0], longitude: values[1]), radius: values[2])
    }
}

extension Problem {
    fileprivate static func missing<Value: RawRepresentable & CaseIterable>(_ field: String, _ type: Value.Type) -> Problem
    where Value.RawValue == String {
        .missing(field, .oneOf(Value.allCases.map(\.rawValue)))
    }
}
