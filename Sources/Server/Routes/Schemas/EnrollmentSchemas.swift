import Model
import Service

extension Schemas {
    private static let qr = object(
        "A QR code of the link",
        ["size": integer("Modules along a side"), "rows": list("From the top: 1 is dark", of: ["type": "string"])])

    private static let ownTracks = object(
        "How the OwnTracks app is set up, in HTTP mode",
        [
            "url": text("Where it posts"), "username": text("Its user"), "password": text("The token's secret"),
            "deviceId": text("Its device"), "reportsAs": text("How it names itself: user/device"),
            "link": text("What opens the app and sets it up"), "qr": qr,
        ])

    private static let traccar = object(
        "How the Traccar client is set up",
        [
            "serverUrl": text("The server's address, with the token"), "deviceId": text("The device's identifier"),
            "link": text("What opens the app and sets it up"), "qr": qr,
        ])

    /// Schemas of enrollment, waiting devices and the sample data.
    static let enrollments: [Named] = [
        (
            "NewEnrollment",
            object(
                "A phone that is to be enrolled", [:],
                optional: [
                    "name": text("For people; the id when left out"),
                    "platform": oneOf("Of a device that is new: whose rules its system follows", Device.Platform.self),
                ])
        ),
        (
            "Enrollment",
            object(
                "A phone that was enrolled",
                [
                    "device": any("Device"), "isNew": flag("Whether the device was made"), "token": any("MadeToken"),
                    "otherTokens": list("Earlier tokens for this device alone that are still good", of: any("Token")),
                    "address": text("Where the service is reached"),
                    "warnings": list("What keeps phones from it, or makes it unsafe", of: any("ProblemWords")),
                    "ownTracks": ownTracks, "traccar": traccar,
                    "curl": object("The same by hand", ["command": text("Reports one position")]),
                ],
                optional: [
                    "administrator": any("MadeToken"), "lastFixAt": time("Of the newest position that the device had before"),
                ])
        ),
        named(WaitingDeviceList.shape), named(WaitingDevice.shape), named(Queries.RefusedDevice.shape),
        (
            "SampleData",
            object(
                "The sample data",
                [
                    "isAvailable": flag("Whether it is installed"), "geofences": integer("Made of it, in the store"),
                    "devices": integer("Made of it, in the store"),
                ])
        ),
        named(SampleChange.shape),
    ]
}
