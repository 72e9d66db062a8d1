import Foundation
import Model
import TestSupport
import Testing

@Suite("Doctor command")
struct DoctorCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    /// The codes of the findings, apart from what depends on this machine: its clock and its disk.
    private func codes(_ picket: Program, _ arguments: String...) throws -> (status: Int32, codes: [String]) {
        let result = try picket.run(["doctor", "--json"] + arguments)
        let json = try JSONParser.parse(result.output)
        let found = (json["findings"]?.array ?? []).compactMap { $0["code"]?.string }
        return (result.status, found.filter { !["clockNotSynchronized", "littleRoom"].contains($0) })
    }

    @Test("Without a service the command looks itself, and remarks alone are no failure")
    func alone() throws {
        #expect(try codes(shell.picket).codes.sorted() == ["noStore", "notRunning"])
        #expect(!FileManager.default.fileExists(atPath: shell.picket.data), "it makes nothing")
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        #expect(try codes(shell.picket).codes.sorted() == ["noBackup", "notRunning"])
        try shell.picket.run("device", "add", "anna")
        let (status, found) = try codes(shell.picket)
        #expect(status == 1 && found.first == "neverReported", "\(found)")
        let text = try shell.picket.run("doctor", "--language", "tr")
        #expect(text.output.contains("anna hiç konum bildirmedi.") && text.output.contains("→ Uygulamasını kurun:"))
    }

    @Test("Backups in another folder are found, and old ones are reported")
    func backups() throws {
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        let backup = shell.directory.path + "/all.backup"
        try shell.picket.run("backup", backup)
        #expect(try codes(shell.picket, "--backups", shell.directory.path).codes == ["notRunning"])
        let old = Date(timeIntervalSinceNow: -8.5 * 86_400)
        try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: backup)
        let (status, found) = try codes(shell.picket, "--backups", shell.directory.path)
        #expect(status == 1 && found == ["oldBackup", "notRunning"], "\(found)")
    }

    @Test("It works when the service cannot start, and says why")
    func cannotStart() throws {
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        try Data("log-level = loud\n".utf8).write(to: URL(filePath: shell.picket.data + "/picket.conf"))
        #expect(try shell.picket.run("serve").status == 2)
        let (status, found) = try codes(shell.picket)
        #expect(status == 1 && found.first == "validationFailed" && found.contains("noBackup"), "\(found)")
    }

    @Test("A running service looks itself; one that is stopped, killed or unreachable is reported")
    func served() throws {
        try shell.picket.run("device", "add", "anna")
        let service = try RunningService(data: shell.picket.data)
        #expect(try codes(shell.picket).codes.sorted() == ["neverReported", "noBackup"])
        let address = "http://127.0.0.1:\(service.port)"
        #expect(try codes(Program(data: "/nowhere"), "--server", address).codes.sorted() == ["neverReported", "noBackup"])
        service.kill()
        #expect(try codes(shell.picket).codes.contains("notRunning"))
        let (status, found) = try codes(shell.picket, "--server", address)
        #expect(status == 1 && found == ["noConnection"])
    }

    @Test("A service of another version, and one that does not answer, are reported")
    func otherVersion() throws {
        let answer = JSONValue.object([
            .init("checkedAt", "2026-05-01T10:00:00.000Z"), .init("version", "0.0.9"), .init("errors", JSONValue(0)),
            .init("warnings", JSONValue(0)),
            .init("findings", []),
        ])
        let server = try LoopbackServer { _, _ in LoopbackServer.json(answer) }
        let (status, found) = try codes(shell.picket, "--server", server.url)
        #expect(status == 1 && found == ["otherVersion"])
        // This process holds the lock instead of a service that hangs.
        try shell.picket.run("geofence", "add", "--id", "home", "--circle", "52.5,13.4,100")
        let lock = open(shell.picket.data + "/picket.lock", O_RDWR)
        defer { close(lock) }
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let file = #"{"url":"http://127.0.0.1:\#(try FreePort.find())","token":"t","process":\#(getpid())}"#
        let path = shell.picket.data + "/service.json"
        #expect(FileManager.default.createFile(atPath: path, contents: Data(file.utf8), attributes: [.posixPermissions: 0o600]))
        #expect(try codes(shell.picket).codes == ["notAnswering", "noBackup"])
    }
}
