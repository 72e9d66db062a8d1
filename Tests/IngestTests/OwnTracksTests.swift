import Foundation
import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("OwnTracks decoder for HTTP")
struct OwnTracksTests {
    private func receive(_ body: String, _ sender: OwnTracksSender = OwnTracksSender()) -> Received<OwnTracks.Outcome> {
        var batch = FixBatch()
        let outcome = Array(body.utf8).withUnsafeBufferPointer { OwnTracks.decode($0, sender: sender, into: &batch) }
        return Received(outcome, batch)
    }

    private func location(_ body: String, _ sender: OwnTracksSender = OwnTracksSender()) throws -> Decoded.Row {
        let received = receive(body, sender)
        #expect(received.outcome == .understood([]) && received.refusals.isEmpty && received.rows.count == 1)
        return try #require(received.rows.first)
    }

    private func messages(_ body: String, _ sender: OwnTracksSender = OwnTracksSender()) -> [OwnTracksMessage] {
        let received = receive(body, sender)
        #expect(received.rows.isEmpty && received.refusals.isEmpty)
        guard case .understood(let messages) = received.outcome else { return [] }
        return messages
    }

    private static let iOS =
        #"{"_type":"location","tid":"ph","lat":48.85833,"lon":2.29513,"acc":5,"alt":167,"vac":21,"vel":61,"cog":271,"batt":67,"bs":1,"#
        + #""conn":"w","m":1,"t":"u","tst":1777629600,"created_at":1777629604,"inregions":["Home"],"inrids":["6da9cf"],"#
        + #""topic":"owntracks/jane/phone"}"#

    @Test("A location of the iOS app gives a fix at tst, with its speed converted from km/h")
    func iOS() throws {
        let row = try location(Self.iOS)
        #expect(row.device == "jane/phone" && row.line == 1)
        #expect(
            row.fix
                == Fix(
                    time: Instant("2026-05-01T10:00:00Z")!, coordinate: Coordinate(latitude: 48.85833, longitude: 2.29513),
                    accuracy: 5, altitude: 167, speed: 61 / 3.6, course: 271, battery: 0.67))
        #expect(
            row.attributes
                == #"{"tid":"ph","vac":21,"bs":1,"conn":"w","m":1,"t":"u","created_at":1777629604,"inregions":["Home"],"inrids":["6da9cf"]}"#
        )
    }

    @Test("Numbers can be strings, and whole numbers can have a decimal point (Android)")
    func looseNumbers() throws {
        let row = try location(
            #"{"_type":"location","BSSID":"02:00","acc":"14.0","alt":34.0,"batt":"42","bs":1.0,"lat":"52.5","lon":13.4,"m":2,"#
                + #""tid":"dx","topic":"owntracks/dan/pixel","tst":1777629600.0,"vel":"36"}"#)
        #expect(row.device == "dan/pixel" && row.fix.time == Instant("2026-05-01T10:00:00Z"))
        #expect(row.fix.accuracy == 14 && row.fix.speed == 10 && row.fix.battery == 0.42)
        #expect(row.fix.coordinate == Coordinate(latitude: 52.5, longitude: 13.4))
    }

    @Test("The device is named by header or query, or by topic, never by tracker ID")
    func devices() throws {
        let bare = #"{"_type":"location","tst":1e9,"lat":1,"lon":2"#
        let sender = OwnTracksSender(user: "u", device: "d")
        #expect(try location(Self.iOS, sender).device == "u/d")
        #expect(try location("\(bare)}", sender).device == "u/d")
        #expect(try location("\(bare),\"tid\":\"JJ\"}", sender).attributes == #"{"tid":"JJ"}"#)
        #expect(try location("\(bare),\"topic\":\"a/b/c/d\",\"tid\":\"JJ\"}").device == "c/d")
        #expect(try location("\(bare),\"tid\":\"JJ\"}").device == nil)
        #expect(messages(#"{"_type":"lwt","tst":1,"tid":"JJ"}"#).map(\.device) == [nil])
        #expect(try location("\(bare)}").device == nil)
        // A topic with both names is more than one name alone.
        #expect(try location(Self.iOS, OwnTracksSender(user: "u")).device == "jane/phone")
        #expect(try location(Self.iOS, OwnTracksSender(user: "", device: "d")).device == "jane/phone")
    }

    @Test(
        "One name alone is the device, so that phones with the same tracker ID stay apart",
        arguments: [
            (OwnTracksSender(device: "997"), nil, "997"), (OwnTracksSender(user: "", device: "996"), nil, "996"),
            (OwnTracksSender(user: "solo"), nil, "solo"), (OwnTracksSender(user: "solo", device: ""), "owntracks/na", "solo"),
            (OwnTracksSender(), "owntracks/bob", "bob"), (OwnTracksSender(), "/owntracks/bob/", "bob"),
            (OwnTracksSender(), "bob", "bob"), (OwnTracksSender(), "owntracks/owntracks/bob", "owntracks/bob"),
            (OwnTracksSender(), "family/anna", "family/anna"), (OwnTracksSender(), "owntracks", nil),
            (OwnTracksSender(user: "jane", device: "phone"), "owntracks/bob", "jane/phone"),
        ] as [(OwnTracksSender, String?, String?)])
    func oneName(sender: OwnTracksSender, topic: String?, expected: String?) throws {
        let member = topic.map { ",\"topic\":\"\($0)\"" } ?? ""
        let body = "{\"_type\":\"location\",\"tid\":\"na\",\"tst\":1777629600,\"lat\":1,\"lon\":2\(member)}"
        #expect(try location(body, sender).device == expected)
        #expect(messages("{\"_type\":\"lwt\",\"tid\":\"na\"\(member)}", sender).map(\.device) == [expected])
    }

    @Test(
        "Each other type of message is returned with its device and time",
        arguments: [
            (
                #"{"_type":"transition","wtst":1,"lat":1,"lon":2,"tst":1777629600,"acc":0,"tid":"ph","event":"enter","desc":"Home","#
                    + #""t":"c","rid":"6da9cf","topic":"owntracks/jane/phone/event"}"#, true
            ),
            (
                #"{"_type":"waypoint","rad":1000,"tst":1777629600,"lon":-122.0,"lat":37.3,"desc":"Home","topic":"owntracks/jane/phone/waypoint"}"#,
                true
            ),
            (
                #"{"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"a","rad":50,"tst":1e9}],"topic":"owntracks/jane/phone/waypoints"}"#,
                false
            ),
            (
                #"{"_type":"status","iOS":{"version":"18.3","locationManagerAuthorizationStatus":"kCLAuthorizationStatusAuthorizedAlways"},"#
                    + #""topic":"owntracks/jane/phone/status"}"#, false
            ),
            (#"{"_type":"lwt","tst":"1777629600","topic":"owntracks/jane/phone"}"#, true),
            (#"{"_type":"card","name":"Jane","face":"aGk=","tid":"ph","topic":"owntracks/jane/phone/info"}"#, false),
            (#"{"_type":"steps","tst":1777629600.0,"steps":-1,"from":1,"to":2,"topic":"owntracks/jane/phone/step"}"#, true),
            (
                #"{"_type":"dump","configuration":{"_type":"configuration","deviceId":"phone"},"topic":"owntracks/jane/phone/dump"}"#,
                false
            ),
            (
                #"{"_type":"beacon","rssi":-49,"desc":"b","uuid":"u","major":1,"minor":2,"tst":1777629600,"prox":1,"topic":"owntracks/jane/phone/beacon"}"#,
                true
            ),
            (#"{"_type":"request","request":"tour","tour":{"label":"x"},"topic":"owntracks/jane/phone/request"}"#, false),
            (#"{"_type":"cmd","action":"dump","topic":"owntracks/jane/phone/cmd"}"#, false),
            (#"{"_type":"configuration","deviceId":"phone","topic":"owntracks/jane/phone"}"#, false),
            (#"{"_type":"encrypted","data":"AAAA","topic":"owntracks/jane/phone"}"#, false),
        ])
    func others(body: String, isTimed: Bool) throws {
        let message = try #require(messages(body).first)
        #expect(message.kind != nil && message.kind?.rawValue == message.type && message.device == "jane/phone")
        #expect(message.time == (isTimed ? Instant("2026-05-01T10:00:00Z") : nil))
        #expect(message.json == body && message.line == 1)
        #expect(messages(body, OwnTracksSender(user: "u", device: "d")).map(\.device) == ["u/d"])
    }

    @Test("The message types are complete, and an unknown type is returned by its name")
    func kinds() {
        #expect(OwnTracksMessage.MessageType.allCases.count == 13)
        #expect(messages(#"{"_type":"novelty","tid":"x"}"#).map(\.kind) == [nil])
        #expect(messages(#"{"_type":"novelty","tid":"x"}"#).map(\.type) == ["novelty"])
        #expect(messages(#"{"_type":"lwt","tst":[1]}"#).map(\.time) == [nil])
    }

    @Test("A phone can have the name of a part of the topic")
    func topics() {
        func device(_ type: String, _ topic: String) -> String? {
            messages("{\"_type\":\"\(type)\",\"topic\":\"\(topic)\"}").first?.device
        }
        #expect(device("lwt", "owntracks/jane/event") == "jane/event")
        #expect(device("transition", "owntracks/jane/event/event") == "jane/event")
        #expect(device("transition", "jane/phone/event") == "jane/phone")
        #expect(device("transition", "/owntracks//jane/phone/") == "jane/phone")
        #expect(device("transition", "phone") == "phone")
        #expect(device("transition", "///") == nil)
        #expect(device("transition", "a/b\\u0007") == nil)
    }

    @Test("An empty body gives nothing", arguments: ["", " \r\n\t"])
    func empty(body: String) {
        #expect(receive(body) == Received(.empty, FixBatch()))
    }

    @Test(
        "An array is decoded element by element", arguments: [OwnTracksSender(), OwnTracksSender(user: "jane", device: "phone")])
    func array(sender: OwnTracksSender) {
        let received = receive(
            "[\(Self.iOS),{\"_type\":\"lwt\",\"tst\":1e9, \"topic\":\"owntracks/jane/phone\"},[],{\"lat\":1},\(Self.iOS)]", sender
        )
        #expect(received.rows.map(\.line) == [1, 5] && received.rows.map(\.device) == ["jane/phone", "jane/phone"])
        #expect(received.refusals.map(\.line) == [3, 4] && received.refusals.map(\.field) == ["_type", "_type"])
        let lwt = OwnTracksMessage(
            type: "lwt", device: "jane/phone", time: Instant(milliseconds: 1_000_000_000_000),
            json: #"{"_type":"lwt","tst":1e9,"topic":"owntracks/jane/phone"}"#, line: 2)
        #expect(received.outcome == .understood([lwt]))
        #expect(receive("[]") == Received(.understood([]), FixBatch()))
    }

    @Test(
        "An invalid location is refused with member, value and reason",
        arguments: [
            (#""lat":1,"lon":2"#, "tst", "", "missing"), (#""tst":1e9,"lon":2"#, "lat", "", "missing"),
            (#""tst":1e9,"lat":"x","lon":2"#, "lat", "x", "not a number"),
            (#""tst":"soon","lat":1,"lon":2"#, "tst", "soon", "not a valid time"),
            (#""tst":1e9,"lat":-1000000,"lon":2"#, "lat", "-1000000", "not an angle"),
            (#""tst":1e9,"lat":0,"lon":0"#, "lat", "0", "exactly 0"),
            (#""tst":1e9,"lat":1,"lon":2,"acc":-1"#, "acc", "-1", "negative"),
            (#""tst":1e9,"lat":1,"lon":2,"topic":"o/a\u0001/b""#, "topic", "a\u{1}/b", "cannot name a device"),
        ])
    func refusals(members: String, field: String, value: String, reason: String) throws {
        let received = receive("{\"_type\":\"location\",\(members)}")
        #expect(received.outcome == .understood([]) && received.rows.isEmpty)
        let refusal = try #require(received.refusals.first)
        #expect(refusal.line == 1 && refusal.field == field && refusal.value == value)
        #expect(refusal.reason.description.contains(reason) && refusal.reason.description.contains("expected"))
    }

    @Test(
        "JSON that is not a message is refused",
        arguments: ["7", "null", #""location""#, "{}", #"{"_type":7}"#, #"{"lat":1,"lon":2,"tst":1e9}"#])
    func noMessage(body: String) {
        let received = receive(body)
        #expect(received.outcome == .understood([]) && received.rows.isEmpty && received.refusals.map(\.field) == ["_type"])
    }

    @Test(
        "A body that is not JSON is refused with the reason",
        arguments: ["{", "lat=1&lon=2", #"{"_type":"location"}}"#, "\u{0}", String(repeating: "[", count: 10_000)])
    func unreadable(body: String) {
        let received = receive(body)
        guard case .unreadable(let reason) = received.outcome else {
            Issue.record("\(received.outcome)")
            return
        }
        #expect(reason.description.contains("it is not JSON") && reason.description.contains("expected"))
        #expect(received.rows.isEmpty && received.refusals.isEmpty)
    }

    @Test("Recorded requests of the apps are decoded", .enabled(if: SharedData.isAvailable(for: "requests of apps")))
    func recorded() throws {
        let bodies = try String(contentsOf: SharedData.file("owntracks/traccar_owntracks_http_bodies.jsonl"), encoding: .utf8)
        let rows = try bodies.split(separator: "\n").map { try location(String($0)) }
        #expect(
            rows.map(\.device) == [
                nil, nil, nil, nil, "ckrey/22A67880-15C3-41A6-9157-25545C7993AC", "qtripp/865284041968706",
            ])
        let speeds: [Double?] = [0, nil, 61 / 3.6, nil, nil, 0]
        #expect(rows.map(\.fix.speed) == speeds)
    }
}
