import Model
import Routing

/// Routes for signing in to the dashboard with a token, which gives a session cookie.
enum SessionRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [create, get, end]

    private static let create = Route(
        "POST", "/v1/session", access: .open, isForPages: true,
        about: .init(
            "Signs in with a token: from then on a cookie replaces it (header X-Picket-Page: 1)",
            body: [("application/json", "SignIn")], answer: "Session"),
        work: .now { api, call throws(Problem) in
            var fields = try JSONFields(call.json(), of: .signIn)
            // A token that was pasted from a terminal may contain a line break.
            let secret = (try fields.text("token") ?? "").filter { !$0.isWhitespace }
            try fields.finish()
            let token = try api.authenticator.token(secret)
            guard token.role.mayRead else {
                throw .forbidden(
                    details: Phrase(
                        "the token '\(token.name)' may only report positions; sign in with one whose role is reader or admin")
                )
            }
            return answer(token, api)
        })

    private static let get = Route(
        "GET", "/v1/session", access: .reader, restricted: .allowed,
        about: .init("Shows who is signed in; extends the session of a cookie", answer: "Session"),
        work: .now { api, call in
            guard let token = call.head.token else {
                return .json(
                    SessionDocument(role: .admin, isOpen: true, settings: call.store.settings).json(in: AnswerLocale()))
            }
            return answer(token, api)
        })

    private static let end = Route(
        "DELETE", "/v1/session", access: .open, isForPages: true,
        about: .init("Signs out (header X-Picket-Page: 1)", status: 204),
        work: .now { api, _ in Response.nothing.with("Set-Cookie", api.authenticator.sessions.endingCookie) })

    private static func answer(_ token: Token, _ api: API) -> Response {
        let (cookie, expiresAt) = api.authenticator.sessions.cookie(
            forToken: token.id, until: token.expiresAt, at: api.store.clock.now())
        let document = SessionDocument(
            role: token.role, name: token.name, isOpen: false, isRestricted: token.scope.map { _ in true },
            expiresAt: expiresAt, settings: api.store.settings)
        return .json(document.json(in: AnswerLocale())).with("Set-Cookie", cookie).with("Cache-Control", "no-store")
    }
}
