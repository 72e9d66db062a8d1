import Model
import Places
import Routing
import Service

/// Routes of presence rules.
enum RuleRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [list, create, show, put, remove]

    private static let list = Route(
        "GET", "/v1/rules", access: .reader, restricted: .allowed, about: .init("Lists the rules, by id", answer: "RuleList"),
        work: .read { service, _ throws(Problem) in .json(["rules": .array(try service.presenceRules().map(\.json))]) })

    private static let create = Route(
        "POST", "/v1/rules", access: .admin,
        about: .init(
            "Creates a rule; by default its id is derived from its content. It applies from now on, or from its 'since': then the "
                + "recorded events since that time are evaluated immediately",
            body: [("application/json", "NewRule")], answer: "Rule", status: 201),
        work: .task { _, call throws(Problem) in
            let made = try await call.store.writer.createRule(call.json(), call.admission)
            return Response.json(made.json, status: 201).with("Location", "/v1/rules/\(PercentEncoding.escape(made.rule.id))")
        })

    private static let show = Route(
        "GET", "/v1/rules/{id}", access: .reader, restricted: .allowed, about: .init("A rule", answer: "Rule"),
        work: .read { service, call throws(Problem) in .json(try service.presenceRule(id: call.id).json) })

    private static let put = Route(
        "PUT", "/v1/rules/{id}", access: .admin,
        about: .init(
            "Changes a rule. The change applies from now on; events that the rule caused are kept",
            body: [("application/json", "NewRule")], answer: "Rule"),
        work: .write { service, call throws(Problem) in .json(try service.saveRule(call.json(), id: call.id).json) })

    private static let remove = Route(
        "DELETE", "/v1/rules/{id}", access: .admin, about: .init("Removes a rule; events that it caused are kept", status: 204),
        work: .write { service, call throws(Problem) in
            try service.removePresenceRule(id: call.id)
            return .nothing
        })
}
