import Foundation
import Model
import QRCode

/// How the apps that Picket understands are set up, to report the positions of one device.
///
/// Sources: OwnTracks booklet, "HTTP", "JSON" (`_type=configuration`) and "Remote configuration"; the sources of OwnTracks for Android
/// (LoadViewModel.kt, HttpMessageProcessorEndpoint.kt) and iOS (OwnTracksAppDelegate.m, Connection.m); those of the Traccar client
/// 10.1 (configuration_service.dart, qr_code_screen.dart, AndroidManifest.xml).
struct PhoneSetup {
    /// Of the service, without a slash at its end.
    let address: String
    let deviceId: String
    /// Of a token for this device. What such a token sends is of its device, whatever the app calls itself.
    let secret: String

    // MARK: OwnTracks

    private var ownTracksURL: String { "\(address)/owntracks" }

    /// The user and the device of the app's settings, which it sends in headers: so they are of ASCII, and without the colon that ends
    /// the user in Basic credentials (RFC 7617). A device that already is `user/device` keeps both.
    var ownTracksNames: (user: String, device: String) {
        let parts = deviceId.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        func isPlain(_ part: String) -> Bool {
            !part.isEmpty && part.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
        }
        if parts.count == 2, parts.allSatisfy(isPlain) { return (parts[0], parts[1]) }
        let user = parts.count == 1 && isPlain(deviceId) ? deviceId : Identifier.derived(from: deviceId) ?? "picket"
        return (user, "phone")
    }

    /// The app's settings as it imports them. Mode 3 is HTTP. `auth` and `usePassword` are of iOS alone, where without them no
    /// password is sent; Android passes them over.
    var ownTracksConfiguration: JSONValue {
        let names = ownTracksNames
        return [
            "_type": "configuration", "mode": JSONValue(3), "url": .string(ownTracksURL), "auth": true, "usePassword": true,
            "username": .string(names.user), "password": .string(secret), "deviceId": .string(names.device),
        ]
    }

    /// What opens the app and sets it up. The base64 is escaped: Android reads a plus sign in a query as a space.
    var ownTracksLink: String {
        let base64 = Data(ownTracksConfiguration.description.utf8).base64EncodedString()
        return "owntracks:///config?inline=\(PercentEncoding.escaped(base64))"
    }

    func ownTracksJSON() throws(Problem) -> JSONValue {
        let names = ownTracksNames
        return [
            "url": .string(ownTracksURL), "username": .string(names.user), "password": .string(secret),
            "deviceId": .string(names.device), "reportsAs": .string("\(names.user)/\(names.device)"),
            "link": .string(ownTracksLink), "qr": try QRSymbol(ownTracksLink).json,
        ]
    }

    // MARK: Traccar client

    /// With the token in its query, for the app can send no header.
    var traccarURL: String { "\(address)/osmand?token=\(PercentEncoding.escaped(secret))" }

    /// What opens the app, or is scanned by it, and sets it up. Of a link of `https` it would drop the query, and with it the token;
    /// of its own scheme it takes the parameter `url` as it is. Of the host it passes over all but `action`.
    var traccarLink: String {
        "org.traccar.client://config?url=\(PercentEncoding.escaped(traccarURL))&id=\(PercentEncoding.escaped(deviceId))"
    }

    func traccarJSON() throws(Problem) -> JSONValue {
        [
            "serverUrl": .string(traccarURL), "deviceId": .string(deviceId), "link": .string(traccarLink),
            "qr": try QRSymbol(traccarLink).json,
        ]
    }

    // MARK: curl

    /// Reports one position, to be pasted into a shell.
    var curlCommand: String {
        "curl -H 'Authorization: Bearer \(secret)' '\(address)/osmand?id=\(PercentEncoding.escaped(deviceId))&lat=52.5163&lon=13.3777&accuracy=12'"
    }
}

extension QRSymbol {
    /// `{"size","rows"}`
    fileprivate var json: JSONValue { ["size": JSONValue(size), "rows": .array(rows.map(JSONValue.string))] }
}
