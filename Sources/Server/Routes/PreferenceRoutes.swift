import Model
import Service

/// How whoever asks wants the dashboard to be. It is kept with the token, so that it is the same in every browser.
enum PreferenceRoutes {
    static let all: [Route] = [get, put]

    private static let get = Route(
        "GET", "/v1/me/preferences", .reader,
        .init("What the holder of the token prefers in the dashboard", answer: "Preferences"),
        .read { service, call throws(Problem) in .json(try service.preferences(ofToken: call.head.token?.id).json) })

    // A reader may say how the page is to look: that changes nothing for anybody else.
    private static let put = Route(
        "PUT", "/v1/me/preferences", .reader,
        .init(
            "Saves what the holder of the token prefers; what is left out is as the system has it",
            body: [("application/json", "Preferences")], answer: "Preferences"),
        .write { service, call throws(Problem) in
            let preferences = try Preferences(call.json())
            try service.save(preferences, ofToken: call.head.token?.id)
            return .json(preferences.json)
        })
}
