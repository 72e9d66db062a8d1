import Geodesy
import Model
import Registry

/// One line of an app's log: what its operating system reported to it, or what it has read there.
package struct AppObservation: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case transition(TransitionKind, RegionID)
        /// All regions that the operating system watches for the app, including foreign ones.
        case regions([Region])
        /// - Parameter isPrecise: Whether the app may know the precise location; nil if the log does not say.
        case authorization(Authorization, isPrecise: Bool?)
        case locationServices(isEnabled: Bool)
        /// The operating system refused or delayed a registration: of one region, or of all if no region is given.
        case error(RegistryError.Code, RegionID?)
    }

    /// By the phone's clock.
    package var at: Instant
    package var content: Content

    package init(at: Instant, _ content: Content) {
        self.at = at
        self.content = content
    }

    /// The word for the kind of a line.
    package enum Kind: String, CaseIterable, Sendable {
        case enter, exit, dwell, regions, authorization, locationServices, error
    }

    package var kind: Kind {
        switch content {
        case .transition(.enter, _): .enter
        case .transition(.exit, _): .exit
        case .transition(.dwell, _): .dwell
        case .regions: .regions
        case .authorization: .authorization
        case .locationServices: .locationServices
        case .error: .error
        }
    }
}

// MARK: - JSON

extension AppObservation: JSONWritable {
    package static let output = JSONOutput<AppObservation>(
        "Observation", summary: "One line of an app's log: what its operating system reported, or what the app has read there",
        .init("at", kind: .time, summary: "When, by the phone's clock", content: \.at),
        .init("type", kind: .word, summary: "What happened", content: \.kind),
        .init(
            "identifier", optional: .text,
            summary: "With enter, exit and dwell: the region's identifier; with error, if it concerns one region",
            content: \.identifier),
        .init(
            "regions", optional: .list(of: .object(of: Region.output)),
            summary: "With regions: all regions that the operating system watches for the app", content: \.regions),
        .init(
            "authorizationStatus", optional: .word, summary: "With authorization: what the person has granted",
            content: \.authorization),
        .init(
            "preciseLocation", optional: .flag, summary: "With authorization: whether the app may know the precise location",
            content: \.isPrecise),
        .init(
            "locationServicesEnabled", optional: .flag, summary: "With locationServices: whether location is switched on",
            content: \.areLocationServicesEnabled),
        .init(
            "code", optional: .text, summary: "With error: the vendor's name of it, such as kCLErrorRegionMonitoringFailure",
            content: \.code?.name),
        .init("number", optional: .whole, summary: "With error: the vendor's number of it", content: \.code?.number))

    package var json: JSONValue { json(in: AnswerLocale()) }

    private var identifier: String? {
        switch content {
        case .transition(_, let region): region.text
        case .error(_, let region): region?.text
        case .regions, .authorization, .locationServices: nil
        }
    }
    private var regions: [Region]? { if case .regions(let regions) = content { regions } else { nil } }
    private var authorization: Authorization? { if case .authorization(let status, _) = content { status } else { nil } }
    private var isPrecise: Bool? { if case .authorization(_, let isPrecise) = content { isPrecise } else { nil } }
    private var areLocationServicesEnabled: Bool? {
        if case .locationServices(let isEnabled) = content { isEnabled } else { nil }
    }
    private var code: RegistryError.Code? { if case .error(let code, _) = content { code } else { nil } }

    /// The maximum number of regions in a list: more than any operating system watches for an app.
    package static let mostRegions = 200_000
    /// The maximum number of characters of an identifier.
    package static let longestIdentifier = 1000

    /// Reads the output of `json`.
    ///
    /// - Throws: `Problem.validationFailed` for a member that is missing, has another type, or does not belong to the line's type.
    package init(json: JSONValue) throws(Problem) {
        var fields = try JSONFields(json, of: .observation)
        guard let at = try fields.text("at") else { throw .missing("at", .moment) }
        guard let at = Instant(at) else {
            throw .validationFailed(field: "at", value: String(at.prefix(60)), reason: .notATime, expected: .moment)
        }
        guard let kind = try fields.oneOf("type", Kind.self) else {
            throw .missing("type", .oneOf(Kind.allCases.map(\.rawValue)))
        }
        self.at = at
        switch kind {
        case .enter: content = .transition(.enter, try Self.region(&fields))
        case .exit: content = .transition(.exit, try Self.region(&fields))
        case .dwell: content = .transition(.dwell, try Self.region(&fields))
        case .regions: content = .regions(try Self.regions(&fields))
        case .authorization:
            guard let status = try fields.oneOf("authorizationStatus", Authorization.self) else {
                throw .missing("authorizationStatus", .oneOf(Authorization.allCases.map(\.rawValue)))
            }
            content = .authorization(status, isPrecise: try fields.flag("preciseLocation"))
        case .locationServices:
            guard let isEnabled = try fields.flag("locationServicesEnabled") else {
                throw .missing("locationServicesEnabled", .trueOrFalse)
            }
            content = .locationServices(isEnabled: isEnabled)
        case .error:
            let name = try fields.text("code")
            let number = try fields.integer("number")
            guard let code = name.map({ RegistryError.Code(name: $0) }) ?? number.map({ RegistryError.Code(numbered: $0) }) else {
                throw .missing("code", .string)
            }
            let region = try fields.text("identifier").map { RegionID(String($0.prefix(Self.longestIdentifier))) }
            content = .error(code.number == nil ? RegistryError.Code(number: number, name: code.name) : code, region)
        }
        try fields.finish()
    }

    private static func region(_ fields: inout JSONFields) throws(Problem) -> RegionID {
        guard let text = try fields.text("identifier"), !text.isEmpty else { throw .missing("identifier", .string) }
        guard text.utf8.count <= longestIdentifier else {
            throw .validationFailed(
                field: "identifier", value: String(text.prefix(60)), reason: .longerThan(longestIdentifier), expected: .string)
        }
        return RegionID(text)
    }

    private static func regions(_ fields: inout JSONFields) throws(Problem) -> [Region] {
        guard let list = fields.value("regions")?.array else { throw .missing("regions", .regionsOfApp) }
        guard list.count <= mostRegions else {
            throw .validationFailed(field: "regions", value: "", reason: .elements(list.count), expected: .atMost(mostRegions))
        }
        return try list.enumerated().map { number, json throws(Problem) in try Region(json: json, number: number) }
    }
}

extension RegistryError.Code {
    /// The code for a vendor's number; a code without a vendor's name if the number is unknown.
    fileprivate init(numbered number: Int) {
        self = Self.known.first { $0.number == number } ?? RegistryError.Code(number: number, name: "error")
    }
}
