import Model
import Routing

/// The route of tokens for streams.
enum StreamTokenRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [create]

    private static let create = Route(
        "POST", "/v1/stream-tokens", access: .reader, restricted: .allowed,
        about: .init(
            "Creates a token that opens a stream in the next two minutes, as the field 'access_token', for clients that cannot "
                + "send headers. It has the rights of the token of this request, and ends with it",
            answer: "StreamToken"),
        work: .now { api, call in
            let made = api.authenticator.streamTokens.make(
                forToken: call.head.token?.id ?? "", until: call.head.expiresAt, at: call.store.clock.now())
            return Response.json(["token": .string(made.token), "expiresAt": JSONValue(made.expiresAt)])
                .with("Cache-Control", "no-store")
        })
}
