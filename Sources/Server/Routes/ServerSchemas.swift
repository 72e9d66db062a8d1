import Core
import HTTPServer
import Model
import Routing
import Service
import Settings

extension Schemas {
    /// Schemas of sessions and of the sample data, and those that several features use.
    static let server: [Named] =
        [
            ("Anything", ["description": "Any JSON"]),
            ("Text", ["type": "string"]),
            ("Bytes", ["type": "string", "format": "binary"]),
            named(Problem.output), named(Problem.RecoveryAction.output), named(ProblemDocument.output), named(Fix.shape),
        ] + sessions + sampleData

    private static let sessions: [Named] = [
        (
            "StreamToken",
            object(
                "A token for a stream",
                [
                    "token": text("The value of access_token"),
                    "expiresAt": time("When the token expires: until then, a stream can be opened with it"),
                ])
        ),
        ("SignIn", object("The token to sign in with", ["token": text("The token's secret")])),
        named(SessionDocument.output), named(MapTiles.output),
    ]

    private static let sampleData: [Named] = [
        (
            "SampleData",
            object(
                "The sample data",
                [
                    "isAvailable": flag("Whether it is installed"), "geofences": integer("From the sample data, in the store"),
                    "devices": integer("From the sample data, in the store"),
                ])
        ),
        named(SampleChange.shape),
    ]
}
