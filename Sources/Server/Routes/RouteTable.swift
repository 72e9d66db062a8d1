import HTTPServer
import Model
import Routing

/// Finds the route of a request.
struct RouteTable: Sendable {
    private let all: [Route<API>]
    /// Routes without parameters in their path, by path.
    private let byPath: [String: [Route<API>]]

    init(_ routes: [Route<API>]) {
        all = routes
        byPath = Dictionary(grouping: routes.filter { !$0.path.contains("{") }, by: \.path)
    }

    /// The route of a request, and the values of its path parameters.
    func find(_ request: Request) throws(Problem) -> (Route<API>, [String]) {
        let asked = request.method
        // HEAD is answered like GET, except on routes that store positions by GET.
        func answers(_ route: Route<API>) -> Bool {
            route.method == asked || asked == "HEAD" && route.method == "GET" && route.access != .ingest
        }
        if asked != "POST", request.target.path == "/", !OsmAndHandler.isReport(request.target) {
            return (DashboardRoutes.page, [])
        }
        if let route = byPath[request.target.path]?.first(where: answers) { return (route, []) }
        let found = routes(at: request.target)
        for route in found where answers(route) {
            if let values = route.match(request.target) { return (route, values) }
        }
        let allowed = methods(of: found)
        if allowed.isEmpty {
            throw .notFound(
                kind: .address, id: request.target.path,
                similar: Suggestions.similar(to: request.target.path, among: Array(Set(all.map(\.path)))))
        }
        throw .methodNotAllowed(method: request.method, allowed: allowed)
    }

    /// The routes of an address. `/v1/sinks/{id}:pause` is another address than `/v1/sinks/{id}`. An id that ends like the former is sent with
    /// `%3A`.
    private func routes(at target: Target) -> [Route<API>] {
        let matching = all.filter { $0.match(target) != nil }
        let most = matching.map(\.fixedCharacters).max()
        return matching.filter { $0.fixedCharacters == most }
    }

    /// The methods of an address, sorted.
    func methods(at target: Target) -> [String] { methods(of: routes(at: target)) }

    private func methods(of found: [Route<API>]) -> [String] {
        var methods: Set<String> = []
        for route in found {
            methods.insert(route.method)
            if route.method == "GET", route.access != .ingest { methods.insert("HEAD") }
        }
        return methods.sorted()
    }
}
