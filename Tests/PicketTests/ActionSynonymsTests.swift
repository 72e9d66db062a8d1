import TestSupport
import Testing

@testable import picket

@Suite("Synonyms of actions")
struct ActionSynonymsTests {
    @Test(
        "Words of other programs are understood as Picket's actions",
        arguments: [
            ("geofence", "rm", "geofence remove"), ("geofence", "delete", "geofence remove"), ("device", "ls", "device list"),
            ("token", "rm", "token revoke"), ("token", "add", "token create"), ("geofence", "create", "geofence add"),
            ("sink", "new", "sink add"), ("rule", "get", "rule show"), ("device", "update", "device edit"),
            ("problems", "rm", "problems dismiss"), ("problems", "ls", "problems"), ("problems", "get", "problems show"),
            ("sink", "stop", "sink pause"), ("geofence", "lst", "geofence list"), ("geofence", "colour", nil),
        ] as [(String, String, String?)])
    func synonyms(_ noun: String, _ word: String, _ expected: String?) {
        let table = CommandTable(commands: Picket.commands)
        let found = ActionSynonyms.command(
            noun, word, actions: table.actions(of: noun).map(\.word), isCommand: table.command(ofNoun: noun) != nil)
        #expect(found == expected)
    }

    @Test("An unknown action is refused with the command that it means")
    func hint() throws {
        let shell = try Shell()
        for (words, hint) in [
            (["geofence", "rm", "home"], "did you mean 'picket geofence remove'?"),
            (["problems", "ls"], "did you mean 'picket problems'?"), (["geofense", "list"], "did you mean 'picket geofence'?"),
            (["--language", "tr", "device", "rm", "anna"], "'picket device remove' mı demek istediniz?"),
        ] {
            let result = try shell.picket.run(words)
            #expect(result.status == 2 && result.errors.contains(hint), "\(words): \(result.errors)")
        }
    }
}
