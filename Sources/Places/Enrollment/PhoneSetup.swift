import Foundation
import Model
import QRCode

/// The settings with which the supported apps report the positions of one device.
///
/// Sources: OwnTracks booklet, "HTTP", "JSON" (`_type=configuration`) and "Remote configuration"; the source code of OwnTracks for Android
/// (LoadViewModel.kt, HttpMessageProcessorEndpoint.kt) and iOS (OwnTracksAppDelegate.m, Connection.m), and of the Traccar client 10.1
/// (configuration_service.dart, qr_code_screen.dart, AndroidManifest.xml).
package struct PhoneSetup: Sendable {
    /// The URL of the service without a trailing slash.
    let address: String
    let deviceId: String
    /// The secret of a token for this device. Positions sent with such a token always belong to its device, regardless of the name that the
    /// app sends.
    let secret: String

    // MARK: OwnTracks

    private var ownTracksURL: String { "\(address)/owntracks" }

    /// The user and the device in the app's settings. The app sends them in headers, so they are ASCII without the colon that ends the user
    /// in Basic credentials (RFC 7617). An id of the form `user/device` is split into both.
    var ownTracksNames: (user: String, device: String) {
        let parts = deviceId.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        func isPlain(_ part: String) -> Bool {
            !part.isEmpty && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        }
        if parts.count == 2, parts.allSatisfy(isPlain) { return (parts[0], parts[1]) }
        let user = parts.count == 1 && isPlain(deviceId) ? deviceId : Identifier.derived(from: deviceId) ?? "picket"
        return (user, "phone")
    }

    /// The settings in the app's import format. Mode 3 is HTTP. `auth` and `usePassword` exist only on iOS, where no password is sent
    /// without them; Android ignores them.
    var ownTracksConfiguration: JSONValue {
        let names = ownTracksNames
        return [
            "_type": "configuration", "mode": JSONValue(3), "url": .string(ownTracksURL), "auth": true, "usePassword": true,
            "username": .string(names.user), "password": .string(secret), "deviceId": .string(names.device),
        ]
    }

    /// A link that opens the app and imports the settings. The base64 text is escaped, because Android reads a plus sign in a query as a
    /// space.
    var ownTracksLink: String {
        let base64 = Data(ownTracksConfiguration.description.utf8).base64EncodedString()
        return "owntracks:///config?inline=\(PercentEncoding.escape(base64))"
    }

    /// The setup of the app. Throws `Problem.tooLarge` if the link does not fit into a QR code.
    var ownTracks: AppSetup { get throws(Problem) { (self, try QRSymbol(ownTracksLink)) } }

    // MARK: Traccar client

    /// The token is in the query, because the app cannot send headers.
    var traccarURL: String { "\(address)/osmand?token=\(PercentEncoding.escape(secret))" }

    /// A link or QR code that opens the app and configures it. For a link with `https`, the app would drop the query, and with it
    /// the token; with its own scheme, the app uses the parameter `url` unchanged. The app ignores every host of the link except
    /// `action`.
    var traccarLink: String {
        "org.traccar.client://config?url=\(PercentEncoding.escape(traccarURL))&id=\(PercentEncoding.escape(deviceId))"
    }

    /// The setup of the app. Throws `Problem.tooLarge` if the link does not fit into a QR code.
    var traccar: AppSetup { get throws(Problem) { (self, try QRSymbol(traccarLink)) } }

    // MARK: curl

    /// A shell command that reports one position.
    var curlCommand: String {
        "curl -H 'Authorization: Bearer \(secret)' '\(address)/osmand?id=\(PercentEncoding.escape(deviceId))&lat=52.5163&lon=13.3777&accuracy=12'"
    }
}

// MARK: - JSON

extension PhoneSetup {
    /// A setup with the QR code of an app's link.
    package typealias AppSetup = (setup: PhoneSetup, qr: QRSymbol)

    package static let ownTracksOutput = JSONOutput<AppSetup>(
        "OwnTracksSetup", summary: "The settings of the OwnTracks app, in HTTP mode",
        .init("url", kind: .text, summary: "The URL to which the app posts", content: \.setup.ownTracksURL),
        .init("username", kind: .text, summary: "The user", content: \.setup.ownTracksNames.user),
        .init("password", kind: .text, summary: "The token's secret", content: \.setup.secret),
        .init("deviceId", kind: .text, summary: "The device", content: \.setup.ownTracksNames.device),
        .init("reportsAs", kind: .text, summary: "The name under which the app reports: user/device") {
            "\($0.setup.ownTracksNames.user)/\($0.setup.ownTracksNames.device)"
        },
        .init("link", kind: .text, summary: "A link that opens the app and configures it", content: \.setup.ownTracksLink),
        .init("qr", kind: .object(of: qrOutput), content: \.qr))

    package static let traccarOutput = JSONOutput<AppSetup>(
        "TraccarSetup", summary: "The settings of the Traccar client",
        .init("serverUrl", kind: .text, summary: "The URL of the service, with the token", content: \.setup.traccarURL),
        .init("deviceId", kind: .text, summary: "The device's identifier", content: \.setup.deviceId),
        .init("link", kind: .text, summary: "A link that opens the app and configures it", content: \.setup.traccarLink),
        .init("qr", kind: .object(of: qrOutput), content: \.qr))

    package static let curlOutput = JSONOutput<PhoneSetup>(
        "CurlSetup", summary: "How a position is reported from a shell",
        .init("command", kind: .text, summary: "A command that reports one position", content: \.curlCommand))

    package static let qrOutput = JSONOutput<QRSymbol>(
        "QRCode", summary: "A QR code of the link",
        .init("size", kind: .whole, summary: "The number of modules per side", content: \.size),
        .init("rows", kind: .list(of: .text), summary: "The rows from the top; 1 is dark", content: \.rows))
}
