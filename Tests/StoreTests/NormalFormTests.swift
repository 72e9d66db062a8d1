import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Normal form of names in the store")
struct NormalFormTests {
    /// The same text in two forms, which Swift takes for equal.
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("A name is found in each form, and stored in one")
    func lookUp() throws {
        let directory = try TemporaryDirectory()
        let store = try RegionStore(writing: directory.path + "/picket.sqlite")
        let key = try store.saveDevice(Device(id: decomposed, groups: [decomposed]))
        #expect(try store.device(id: composed)?.key == key)
        #expect(try store.device(id: decomposed)?.key == key)
        #expect(try store.saveDevice(Device(id: composed, groups: [composed])) == key)
        let bytes = try store.connection.value(of: "SELECT hex(id || groups) FROM device", as: String.self)
        #expect(bytes == "636166C3A95B22636166C3A9225D")
    }

    @Test("An update keeps both of two devices whose ids differ in form only")
    func update() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/picket.sqlite"
        do {
            let connection = try Connection(path: path, access: .write)
            try Schema.migrations.run(on: connection, upTo: 22)
            try connection.execute(
                """
                INSERT INTO device (key, id, name, groups, registry, auto_repair, silent_after) VALUES
                (1, '\(decomposed)', 'A', '["\(decomposed)"]', 'none', 0, 21600), (2, '\(composed)', 'B', NULL, 'none', 0, 21600),
                (3, '\(decomposed)2', 'C', NULL, 'none', 0, 21600), (4, 'plain', 'D', '["g"]', 'none', 0, 21600);
                INSERT INTO problem (source, code, words, first_at, last_at, failures)
                VALUES ('intake/\(decomposed)', 'invalidFix', '{}', 0, 0, 1);
                INSERT INTO token (id, name, role, made_at, hash, device, groups)
                VALUES ('t', 'T', 'ingest', 0, '', '\(decomposed)', '["\(decomposed)"]');
                INSERT INTO token (id, name, role, made_at, hash, devices) VALUES
                ('u', 'U', 'reader', 0, 'u', '["plain","\(decomposed)","\(composed)","\(decomposed)2"]');
                INSERT INTO device (key, id, name, registry, auto_repair, silent_after, removed) VALUES
                (5, '\(composed)3', 'gone', 'none', 0, 21600, 1), (6, '\(decomposed)3', 'E', 'none', 0, 21600, 0);
                INSERT INTO problem (source, code, words, first_at, last_at, failures) VALUES
                ('registry/\(decomposed)', 'x', '{}', 0, 0, 1), ('intake/\(composed)', 'x', '{}', 0, 0, 1),
                ('intake/\(decomposed)2', 'x', '{}', 0, 0, 1);
                INSERT INTO refused_input (device, kind, field, reason, count, first_at, last_at) VALUES
                ('\(decomposed)', 'a', 'b', 'c', 1, 0, 0), ('\(composed)', 'a', 'b', 'd', 1, 0, 0);
                INSERT INTO refused_device VALUES ('\(decomposed)', 1), ('\(composed)', 2);
                INSERT INTO presence_rule (id, config) VALUES
                ('one', '{"deviceId":"\(decomposed)"}'), ('two', '{"deviceId":"\(composed)"}'), ('all', '{"group":"\(decomposed)"}');
                """)
        }
        let connection = try RegionStore(writing: path).connection
        func texts(_ sql: String) throws -> [[UInt8]] {
            try connection.uncachedStatement(sql).values(String.self).map { Array($0.utf8) }
        }
        let expected = ["\(composed) (1)", composed, "\(composed)2", "plain", "\(composed)3 (5)", "\(composed)3"]
            .map { Array($0.utf8) }
        #expect(try texts("SELECT id FROM device ORDER BY key") == expected)
        let group = Array("[\"\(composed)\"]".utf8)
        #expect(try texts("SELECT groups FROM device WHERE key = 1") == [group])
        let sources = [
            "intake/\(composed)", "intake/\(composed) (1)", "intake/\(composed)2", "registry/\(composed) (1)",
        ]
        #expect(try texts("SELECT source FROM problem ORDER BY source") == sources.map { Array($0.utf8) })
        let refused = ["\(composed) d", "\(composed) (1) c"].map { Array($0.utf8) }
        #expect(try texts("SELECT device || ' ' || reason FROM refused_input ORDER BY reason DESC") == refused)
        #expect(
            try texts("SELECT device FROM refused_device ORDER BY refused_at DESC")
                == [composed, "\(composed) (1)"].map { Array($0.utf8) })
        let rules = [#"{"group":"\#(composed)"}"#, #"{"deviceId":"\#(composed) (1)"}"#, #"{"deviceId":"\#(composed)"}"#]
        #expect(try texts("SELECT config FROM presence_rule ORDER BY id") == rules.map { Array($0.utf8) })
        // The first token named the first device by its bytes, and does not become one for the second.
        #expect(try texts("SELECT device FROM token WHERE id = 't'") == [Array("\(composed) (1)".utf8)])
        #expect(try texts("SELECT groups FROM token WHERE id = 't'") == [group])
        let devices = #"["plain","\#(composed) (1)","\#(composed)","\#(composed)2"]"#
        #expect(try texts("SELECT devices FROM token WHERE id = 'u'") == [Array(devices.utf8)])
    }
}
