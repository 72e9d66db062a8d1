import Model
import Places
import Routing

/// Routes of the dashboard preferences. They are stored with the token, so that they are the same in every browser.
enum PreferenceRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [get, put]

    private static let get = Route(
        "GET", "/v1/me/preferences", access: .reader, restricted: .allowed,
        about: .init("Shows the dashboard preferences of the token's holder", answer: "Preferences"),
        work: .read { service, call throws(Problem) in .json(try service.preferences(ofToken: call.head.token?.id).json) })

    // Readers may change preferences, because these affect no other user.
    private static let put = Route(
        "PUT", "/v1/me/preferences", access: .reader, restricted: .allowed,
        about: .init(
            "Saves the dashboard preferences of the token's holder; omitted ones follow the system",
            body: [("application/json", "Preferences")], answer: "Preferences"),
        work: .write { service, call throws(Problem) in
            let preferences = try Preferences(call.json())
            try service.save(preferences, ofToken: call.head.token?.id)
            return .json(preferences.json)
        })
}
