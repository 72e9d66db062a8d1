import Model
import Places
import Routing

extension Schemas {
    /// Schemas of tokens and preferences, and of changes of several resources.
    static let access: [Named] = [
        named(Token.shape), named(CreatedToken.shape),
        ("TokenList", object("The tokens", ["tokens": ["type": "array", "items": any("Token")]])),
        (
            "NewToken",
            object(
                "A token to create",
                ["name": text("The name for people"), "role": oneOf("The role of the token", Token.Role.self)],
                optional: [
                    "device": text("One device, instead of a list in devices"),
                    "devices": list("The ids of the only devices that the token may see or report for", of: text("An id")),
                    "groups": list(
                        "The same for devices that are in these groups at the time of a request", of: text("A name")),
                    "expiresIn": number("Seconds until the token expires; it never expires when omitted"),
                ])
        ),
        named(Preferences.output),
        (
            "DeviceEditAnswer",
            ["oneOf": [any("EditAnswer"), any(DevicePatchResult.shape.name)]]
        ),
        (
            "EditAnswer",
            object(
                "The result of changes", ["events": list("The first 10,000", of: any("Event"))],
                optional: [
                    "eventCount": integer("The number of all events, unless all are listed"),
                    "notes": list("How ambiguous outlines were read", of: any("GeofenceNote")),
                ])
        ),
        named(DeviceErasure.shape),
    ]
}
