import Foundation
import Model
import TestSupport
import Testing

@Suite("Enrollment commands")
struct EnrollmentCommandTests {
    @Test("Without a service, a phone is enrolled with the address from the settings, and a QR code")
    func enroll() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        try directory.write("public-url = https://picket.example.org\n", to: "picket.conf")
        let first = try picket.run("device", "enroll", "anna", "--name", "Anna", "--app", "owntracks", "--qr")
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.hasPrefix("Added device anna (Anna).\n\nOwnTracks\n"), "no warning of an address with TLS")
        #expect(first.output.contains("https://picket.example.org/owntracks") && !first.output.contains("Traccar"))
        #expect(first.output.contains("This was the first token"))
        // The drawn code contains the link.
        let link = try #require(first.lines.first { $0.contains("owntracks:///") }).trimmingCharacters(in: .whitespaces)
        let drawing = first.lines.filter { line in line.contains { "\u{2588}\u{2580}\u{2584}".contains($0) } }
        let rows = QRReader.rows(ofHalfBlocks: drawing.map { String($0.dropFirst(2)) }, isColored: false)
        #expect(rows.count >= 21 && rows.allSatisfy { $0.count == rows.count })
        if QRReader.isInstalled { #expect(try QRReader.decode(rows) == link) }

        let again = try picket.run("device", "enroll", "anna", "--app", "traccar")
        #expect(again.output.hasPrefix("Enrolled device anna (Anna).\n"))
        #expect(
            again.output.contains("org.traccar.client://config?url=https%3A%2F%2Fpicket.example.org%2Fosmand%3Ftoken%3Dpicket_"))
        #expect(!again.output.contains("OwnTracks") && !again.output.contains("first token"))
        #expect(!again.output.contains("\u{2588}"), "no drawing where nobody looks")
        let tokens = try picket.run("token", "list", "--json").lines.map { try JSONParser.parse($0) }
        #expect(tokens.map { $0["role"]?.string ?? "" }.sorted() == ["admin", "ingest", "ingest"])
        let earlier = tokens.compactMap { $0["device"]?.string == "anna" ? $0["id"]?.string : nil }
        #expect(earlier.contains { again.output.contains("picket token revoke \($0)") })
    }

    @Test("With a running service, enrollment gives the same, in the person's language")
    func running() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        let service = try RunningService(data: directory.path)
        let made = try picket.run("device", "enroll", "anna", "--json", "--language", "tr")
        let json = try JSONParser.parse(made.output)
        #expect(json["address"]?.string == "http://127.0.0.1:\(service.port)")
        #expect(json["warnings"]?.array?.first?["title"]?.string == "Telefonlar bu adrese ulaşamaz")
        #expect(try picket.run("device", "waiting").output == "No devices are waiting.\n")
        #expect(try service.connect().send("GET", "/osmand?id=stranger&lat=1&lon=2")?.status == 401)
        #expect(try service.connect().send("GET", "/osmand?id=spam&lat=1&lon=2&token=x")?.status == 401)
        let table = try picket.run("device", "waiting").output
        #expect(table.contains("stranger  no     osmand  none") && table.contains("invalid"))
        #expect(try picket.run("device", "refuse", "spam").output.hasPrefix("Refused device spam."))
        let list = try picket.run("device", "waiting", "--json").lines.map { try JSONParser.parse($0) }
        #expect(list.compactMap { $0["waiting"]?["deviceId"]?.string } == ["stranger"])
        #expect(list.compactMap { $0["refused"]?["deviceId"]?.string } == ["spam"])
        #expect(try picket.run("device", "readmit", "spam").output == "Device spam is no longer refused.\n")
        #expect(!(try picket.run("device", "waiting").output.contains("spam")))
    }

    @Test("An ID too long for a QR code is refused, and no token is made")
    func tooLong() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        let long = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 128)
        let refused = try picket.run("device", "enroll", long)
        #expect(refused.status != 0 && refused.output.isEmpty, "\(refused.output)")
        #expect(refused.errors.contains("QR code"), "\(refused.errors)")
        #expect(try picket.run("device", "list", "--json").lines == [])
        #expect(try picket.run("token", "list", "--json").lines == [])
    }

    @Test("Without a service, refused devices are known and no device waits")
    func offline() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/data")
        try picket.createStore()
        #expect(try picket.run("device", "waiting").output.hasPrefix("No service runs on "))
        #expect(try picket.run("device", "refuse", "jane/phone").status == 0)
        #expect(try picket.run("device", "waiting").output.contains("Refused and hidden: jane/phone."))
        #expect(try picket.run("device", "refuse", "a\u{1}").status == 2)
        #expect(try picket.run("device", "enroll", "").status == 2)
    }
}
