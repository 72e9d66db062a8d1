import Model
import TestSupport
import Testing

@testable import Store

@Suite("Device records")
struct DeviceRecordTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    @Test("A removed device is known by its ID and no longer listed")
    func removed() throws {
        let device = Device(id: "d", name: "Anna", groups: ["north"])
        let key = try store.saveDevice(device, in: Transaction())
        #expect(try store.knownDevice(id: "d")?.isRemoved == false)
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in try store.remove(key, in: transaction) }
        let known = try #require(try store.knownDevice(id: "d"))
        #expect(known.isRemoved && known.stored.key == key && known.stored.device == device)
        #expect(try store.device(id: "d") == nil)
        #expect(try store.device(key: key) == nil)
        #expect(try store.knownDevice(id: "d") != nil && store.deviceCount() == 0)
        #expect(try store.saveDevice(device, in: Transaction()) == key)
    }
}
