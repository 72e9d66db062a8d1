import Model
import Routing

/// The OpenAPI 3.1.1 description of the interface, generated from the routes and schemas.
enum OpenAPI {
    /// - Parameter server: The address by which others reach the service.
    static func text(server: String?) -> String {
        guard let server else { return ownText }
        let servers: JSONValue = [["url": .string(server)]]
        return ownText.replacing(#""servers":\#(ownServers)"#, with: #""servers":\#(servers)"#, maxReplacements: 1)
    }

    private static let ownText = document.description
    private static let ownServers: JSONValue = [["url": "/"]]

    static let document: JSONValue = [
        "openapi": "3.1.1",
        "info": [
            "title": "Picket", "version": "1",
            "description":
                .string(
                    "Geofence monitoring: positions in, events out. Lengths in meters, times RFC 3339 in UTC, WGS 84 in degrees. "
                        + "Lists are read in parts: 'next' of one part is 'after' of the following one."),
            "license": ["name": "MIT", "identifier": "MIT"],
        ],
        "servers": ownServers,
        "security": [["bearer": []], ["basic": []]],
        "paths": paths(Routes.all),
        "components": [
            "securitySchemes": [
                "bearer": ["type": "http", "scheme": "bearer"], "basic": ["type": "http", "scheme": "basic"],
            ],
            "responses": [
                "Problem": [
                    "description": "What is wrong, why, and what to do about it (RFC 9457)",
                    "content": ["application/problem+json": ["schema": JSONSchema.reference(to: "Problem")]],
                ]
            ],
            "schemas": .object(Schemas.all.map { .init($0.name, $0.schema) }),
        ],
    ]

    private static func paths(_ routes: [Route<API>]) -> JSONValue {
        var paths: [JSONValue.Member] = []
        for route in routes {
            let operation = JSONValue.Member(route.method.lowercased(), operation(route))
            if let place = paths.firstIndex(where: { $0.name == route.path }) {
                paths[place].value = .object((paths[place].value.members ?? []) + [operation])
            } else {
                paths.append(.init(route.path, [operation.name: operation.value]))
            }
        }
        return .object(paths)
    }

    private static func operation(_ route: Route<API>) -> JSONValue {
        let about = route.description
        return .compact([
            ("operationId", .string(name(of: route))), ("summary", .string(about.summary)),
            ("tags", [.string(tag(of: route))]), ("security", route.access == .open ? [] : nil),
            ("parameters", parameters(of: route)),
            (
                "requestBody",
                about.body.isEmpty ? nil : ["required": true, "content": content(about.body)]
            ),
            ("responses", responses(of: route)),
        ])
    }

    /// The operation id, such as `get_geofences_id_devices`.
    private static func name(of route: Route<API>) -> String {
        let words = route.path.split { !($0.isLetter || $0.isNumber) }.filter { $0 != "v1" }
        return ([route.method.lowercased()] + words.map(String.init)).joined(separator: "_")
    }

    /// The tag: the first word of the path after the version.
    private static func tag(of route: Route<API>) -> String {
        let words = route.path.split { !($0.isLetter || $0.isNumber) }
        return words.first == "v1" && words.count > 1 ? String(words[1]) : "process"
    }

    private static func parameters(of route: Route<API>) -> JSONValue? {
        var found: [JSONValue] = []
        for part in route.path.split(separator: "/") where part.hasPrefix("{") {
            let name = String(part.dropFirst().prefix { $0 != "}" })
            found.append(parameter(.init(name, "Which one", isRequired: true), in: "path"))
        }
        for query in route.description.query { found.append(parameter(query, in: "query")) }
        if route.takesIfMatch {
            found.append(
                parameter(.init("If-Match", "Only if it still has this version, or exists (*); otherwise 412"), in: "header"))
        }
        if route.method == "GET", route.description.otherStatuses.contains(304) {
            found.append(parameter(.init("If-None-Match", "Answer 304 if it still has this version"), in: "header"))
        } else if route.description.hasConditionsForEach || route.description.isTagged && route.method == "PUT" {
            found.append(parameter(.init("If-None-Match", "*: only if it does not exist yet; otherwise 412"), in: "header"))
        }
        return found.isEmpty ? nil : .array(found)
    }

    private static func parameter(_ parameter: RouteDescription.Parameter, in place: String) -> JSONValue {
        .compact([
            ("name", .string(parameter.name)), ("in", .string(place)), ("description", .string(parameter.text)),
            ("required", parameter.isRequired ? true : nil), ("style", parameter.isList || parameter.isRepeatable ? "form" : nil),
            ("explode", parameter.isList ? false : parameter.isRepeatable ? true : nil), ("schema", parameter.schema),
        ])
    }

    private static func responses(of route: Route<API>) -> JSONValue {
        let about = route.description
        var responses: [JSONValue.Member] = []
        for status in ([about.status] + about.otherStatuses).sorted() {
            let hasBody = about.answer != nil && status != 204 && status != 304
            var answers = about.answer.map { [(about.answerType, $0)] + about.otherAnswers } ?? []
            // A request that is refused as a whole, for example because it is empty, is answered with a problem.
            if status == 422 { answers.append(("application/problem+json", "Problem")) }
            var headers: [JSONValue.Member] = []
            func header(_ name: String, _ text: String) {
                headers.append(.init(name, ["description": .string(text), "schema": ["type": "string"]]))
            }
            if about.isTagged, status != 204 { header("ETag", "The version's name") }
            if status == 201 { header("Location", "Its address") }
            responses.append(
                .init(
                    String(status),
                    .compact([
                        ("description", .string(description(of: status))),
                        ("headers", headers.isEmpty ? nil : .object(headers)),
                        ("content", hasBody ? content(answers) : nil),
                    ])))
        }
        if route.takesIfMatch { responses.append(.init("412", ["$ref": "#/components/responses/Problem"])) }
        responses.append(.init("default", ["$ref": "#/components/responses/Problem"]))
        return .object(responses)
    }

    private static func description(of status: Int) -> String {
        switch status {
        case 201: "It was created"
        case 202: "It will be done"
        case 204: "It was done; there is no content"
        case 304: "It still has this version"
        case 422: "Nothing was accepted: each refusal is listed"
        default: "As asked"
        }
    }

    private static func content(_ parts: [(type: String, schema: String)]) -> JSONValue {
        .object(parts.map { .init($0.type, ["schema": JSONSchema.reference(to: $0.schema)]) })
    }
}
