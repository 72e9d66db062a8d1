import Core
import Foundation
import Model
import Places
import TestSupport
import Testing

@Suite("Files created by root", .enabled(if: geteuid() == 0, "only root can give files away"))
struct OwnershipTests {
    private let directory: TemporaryDirectory
    private let data: DataDirectory
    private let somebody: uid_t = 61_234

    init() throws {
        directory = try TemporaryDirectory()
        data = DataDirectory(path: directory.path + "/data")
        try FileManager.default.createDirectory(atPath: data.path, withIntermediateDirectories: false)
    }

    private func owner(_ path: String) -> uid_t? {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_uid : nil
    }

    @Test("All files become the owner's")
    func given() throws {
        chown(data.path, somebody, somebody)
        do {
            let service = try ServiceWriter(data, purpose: "test")
            try service.save(Device(id: "phone", platform: .ios, registry: .simulated))
            _ = try service.createToken(name: "anna", role: .admin, lifetime: nil)
        }
        try data.giveBack()
        let names = try FileManager.default.contentsOfDirectory(atPath: data.path)
        #expect(names.contains("picket.sqlite") && names.contains("picket.lock"))
        for name in names { #expect(owner(data.path + "/" + name) == somebody, "\(name)") }
    }

    @Test("Files stay root's in a directory of root")
    func kept() throws {
        let file = data.path + "/picket.lock"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        try data.giveBack()
        #expect(owner(file) == 0)
    }

    @Test("Files with other links, and anything but plain files, keep their owner")
    func foreign() throws {
        chown(data.path, somebody, somebody)
        let secret = try directory.write("root's", to: "secret")
        link(secret, data.path + "/hard")
        symlink(secret, data.path + "/soft")
        mkfifo(data.path + "/pipe", 0o600)
        mkdir(data.path + "/folder", 0o700)
        try data.giveBack()
        for path in [secret, data.path + "/hard", data.path + "/soft", data.path + "/pipe", data.path + "/folder"] {
            #expect(owner(path) == 0, "\(path)")
        }
    }

    @Test("A missing directory is no error")
    func nothing() throws {
        try DataDirectory(path: directory.path + "/none").giveBack()
        #expect(access(directory.path + "/none", F_OK) != 0)
    }
}
