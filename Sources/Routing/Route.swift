import Core
import Model

/// Who may use a route.
package enum RouteAccess: String, Sendable {
    /// All clients, without a token.
    case open
    /// Any token except one that only reports positions.
    case reader
    /// A token with the role `admin`.
    case admin
    /// A token that may report positions, at least for its own device.
    case ingest
}

/// What a route returns to a token that is restricted to some devices.
package enum RestrictedAccess: String, Sendable {
    /// The answer has no data of devices, or only data of the token's devices. Devices outside of the token's scope do not exist
    /// for it.
    case allowed
    /// Nothing: 403, because the answer is about all devices together.
    case refused
}

/// A route of the HTTP interface, with its description in `/openapi.json`.
///
/// `Feature` is what the work of the route uses besides the store.
package struct Route<Feature: Sendable>: Sendable {
    /// Where and how a request is answered.
    package enum Work: Sendable {
        /// On the HTTP thread. The work must not block.
        case now(@Sendable (Feature, Call) throws(Problem) -> Response)
        /// By a reader, concurrently with the writer; by one of those for heavy queries if the route says so.
        case read(@Sendable (Queries, Call) throws(Problem) -> Response)
        /// By the writer; answered when the transaction is committed.
        case write(@Sendable (ServiceWriter, Call) throws(Problem) -> Response)
        /// In a separate task.
        case task(@Sendable (Feature, Call) async throws(Problem) -> Response)
        /// By a handler that receives the body in parts.
        case handler(@Sendable (Feature, Head) throws(Problem) -> any RequestHandler)
    }

    package var method: String
    /// A path such as `/v1/devices/{id}/track`.
    package var path: String
    package var access: RouteAccess
    package var description: RouteDescription
    package var work: Work
    /// What the route returns to a token that is restricted to some devices; nil for routes that no such token can use: those for
    /// admins, and those without a token. A route for readers or for reports must have a value; otherwise such tokens are
    /// refused.
    package var restricted: RestrictedAccess?
    /// Whether the query may contain the token, for apps that cannot send headers.
    package let takesTokenField: Bool

    /// Whether only pages of the dashboard may use the route.
    package let isForPages: Bool

    /// Whether the query may contain a stream token; see `StreamTokens`.
    package let takesStreamToken: Bool

    /// Whether a query of the route takes long with many devices or geofences; see `StoreThreads.heavyReaders`.
    package var isHeavy = false
    /// The fields of the query with which it takes long, unless they are `false`.
    package var heavyFields: [String] = []

    /// Whether a query takes long with many devices, geofences or positions.
    package func isHeavy(for target: Target) -> Bool {
        isHeavy || heavyFields.contains { name in target[name].map { $0 != "false" } ?? false }
    }

    /// Whether a request may take much memory although its body and its answer are small. Open routes, which are requested often,
    /// do not.
    package func takesMuchMemory(for target: Target) -> Bool {
        if case .task = work, access != .open { true } else { isHeavy(for: target) }
    }

    /// Whether a request may change something. Then it is finished although its client has left.
    package var hasEffects: Bool {
        switch work {
        case .read: false
        case .now, .write, .task, .handler: method != "GET" || access == .ingest
        }
    }

    /// The largest body in bytes; nil for the general limit.
    package let maxBody: Int?

    package init(
        _ method: String, _ path: String, access: RouteAccess, restricted: RestrictedAccess? = nil, takesTokenField: Bool = false,
        isForPages: Bool = false, takesStreamToken: Bool = false, isHeavy: Bool = false, heavyFields: [String] = [],
        maxBody: Int? = nil, about: RouteDescription, work: Work
    ) {
        self.method = method
        self.path = path
        self.access = access
        self.restricted = restricted
        self.takesTokenField = takesTokenField
        self.isForPages = isForPages
        self.takesStreamToken = takesStreamToken
        self.isHeavy = isHeavy
        self.heavyFields = heavyFields
        self.maxBody = maxBody
        self.description = about
        self.work = work
        pattern = path.split(separator: "/").map(String.init)
    }

    private let pattern: [String]

    /// Whether `If-Match` is evaluated: for routes whose path or body names resources with a version.
    package var takesIfMatch: Bool { description.isTagged && method != "POST" || description.hasConditionsForEach }

    /// The number of characters of the path's parts that are not parameters.
    package var fixedCharacters: Int { pattern.reduce(0) { $0 + ($1.hasPrefix("{") ? Self.suffix(of: $1) : $1[...]).count } }

    /// What follows the parameter in a part of the pattern, such as `:dismiss` in `{id}:dismiss`.
    private static func suffix(of part: String) -> Substring { part.drop { $0 != "}" }.dropFirst() }

    /// The values of the path parameters, in order; nil when the path does not match.
    package func match(_ target: Target) -> [String]? {
        let segments = target.segments
        guard segments.count == pattern.count else { return nil }
        var values: [String] = []
        for (part, segment) in zip(pattern, segments) {
            if part.hasPrefix("{") {
                let suffix = Self.suffix(of: part)
                // Only the last part has a suffix. Its colon is not encoded, unlike that of an id.
                guard suffix.isEmpty || target.path.hasSuffix(suffix), segment.hasSuffix(suffix), segment.count > suffix.count
                else {
                    return nil
                }
                values.append(String(segment.dropLast(suffix.count)))
            } else if part != segment {
                return nil
            }
        }
        return values
    }

    /// The route in a service that has the feature among others.
    ///
    /// - Parameter feature: Returns the feature of a service.
    package func using<Whole: Sendable>(_ feature: @escaping @Sendable (Whole) -> Feature) -> Route<Whole> {
        let wholeWork: Route<Whole>.Work =
            switch work {
            case .now(let work): .now { whole, call throws(Problem) in try work(feature(whole), call) }
            case .read(let work): .read(work)
            case .write(let work): .write(work)
            case .task(let work): .task { whole, call throws(Problem) in try await work(feature(whole), call) }
            case .handler(let make): .handler { whole, head throws(Problem) in try make(feature(whole), head) }
            }
        return Route<Whole>(
            method, path, access: access, restricted: restricted, takesTokenField: takesTokenField, isForPages: isForPages,
            takesStreamToken: takesStreamToken, isHeavy: isHeavy, heavyFields: heavyFields, maxBody: maxBody,
            about: description, work: wholeWork)
    }
}
