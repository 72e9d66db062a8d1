import Model
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Normal form of names in the store")
struct NormalFormTests {
    /// The same text in two forms, which Swift considers equal.
    private let composed = "caf\u{E9}"
    private let decomposed = "cafe\u{301}"

    @Test("A name is found in each form, and stored in one")
    func lookUp() throws {
        let directory = try TemporaryDirectory()
        let store = try PicketStore(writing: directory.path + "/picket.sqlite")
        let key = try store.saveDevice(Device(id: decomposed, groups: [decomposed]), in: Transaction())
        #expect(try store.device(id: composed)?.key == key)
        #expect(try store.device(id: decomposed)?.key == key)
        #expect(try store.saveDevice(Device(id: composed, groups: [composed]), in: Transaction()) == key)
        let bytes = try store.connection.value(of: "SELECT hex(id || groups) FROM device", as: String.self)
        #expect(bytes == "636166C3A95B22636166C3A9225D")
    }
}
