import Foundation
import Model
import TestSupport
import Testing

@Suite("Token commands")
struct TokenCommandTests {
    @Test("Tokens are created, listed without their secret, and revoked")
    func life() throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path)
        try picket.createStore()
        #expect(try picket.run("token", "list").output.contains("No tokens"))
        let made = try picket.run(
            "token", "create", "Van 7", "--role", "ingest", "--device", "van-7", "--expires", "90d", "--json")
        #expect(made.status == 0)
        let json = try JSONParser.parse(made.output)
        #expect(json.members?.map(\.name) == ["id", "name", "role", "device", "madeAt", "expiresAt", "secret"])
        let (id, secret) = (try #require(json["id"]?.string), try #require(json["secret"]?.string))
        let from = try #require(json["madeAt"]?.string.flatMap(Instant.init(_:)))
        let to = try #require(json["expiresAt"]?.string.flatMap(Instant.init(_:)))
        #expect(to - from == 90 * 86_400)

        let plain = try picket.run("token", "create", "anna", "--role", "admin")
        #expect(plain.output.contains("picket_") && plain.output.contains("not shown again"))
        let list = try picket.run("token", "list", "--json")
        #expect(list.lines.count == 2 && !list.output.contains("picket_"))
        #expect(try JSONParser.parse(list.lines[0])["id"]?.string == id)
        #expect(try picket.run("token", "list").output.contains("van-7"))

        let guest = try picket.run(
            "token", "create", "grandma", "--role", "reader", "--group", "family", "--device", "dog", "--device", "anna", "--json"
        )
        let rights = try JSONParser.parse(guest.output)
        #expect(rights["devices"] == ["anna", "dog"] && rights["groups"] == ["family"] && rights["device"] == nil)
        #expect(try picket.run("token", "list").output.contains("anna, dog, group family"))
        #expect(try picket.run("token", "revoke", try #require(rights["id"]?.string)).status == 0)

        #expect(try picket.run("token", "revoke", id).output == "Revoked token \(id) of Van 7.\n")
        #expect(try picket.run("token", "list", "--json").lines.count == 1)
        #expect(try picket.run("token", "list", "--all").output.contains("revoked 20"))
        // No file contains the secret.
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let bytes = try Data(contentsOf: URL(filePath: directory.path + "/" + file))
            #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(file)")
        }
    }

    @Test(
        "An invalid token command is refused with the reason and what is expected",
        arguments: [
            (["create", "a"], "needs a role"), (["create", "a", "--role", "root"], "admin, reader or ingest"),
            (["create", "a", "--role", "admin", "--device", "d"], "is for all devices"),
            (["create", "a", "--role", "admin", "--expires", "90"], "for example 30s, 10m, 2h or 90d"),
            (["create", "a", "--role", "admin", "--expires", "0"], "leave it out"),
            (["create", "", "--role", "admin"], "it is empty"), (["revoke", "nobody"], "no token 'nobody'"),
        ])
    func refused(_ words: [String], _ reason: String) throws {
        let directory = try TemporaryDirectory()
        let result = try Program(data: directory.path).run(["token"] + words)
        #expect(result.status == 2 && result.errors.contains(reason), "\(result.errors)")
    }
}
