import Foundation
import Model
import TestSupport
import Testing

@Suite("Following events")
struct EventFollowTests {
    /// Creates events: a device enters and leaves in turn, once a minute.
    private func happen(_ steps: Range<Int>, _ shell: Shell) throws {
        var rows = "device,timestamp,latitude,longitude\n"
        for step in steps {
            let time = Instant("2026-05-01T10:00:00Z")! + Double(step * 60)
            rows += "anna,\(time),\(step % 2 == 0 ? 52.5 : 52.6),13.4\n"
        }
        let fed = try shell.picket.run("feed", try shell.file("\(steps).csv", rows), "--policy", "exact", "--json")
        #expect(fed.status == 0, "\(fed.errors)")
    }

    private func numbers(_ lines: [String]) throws -> [Int] {
        try lines.map { Int(try JSONParser.parse($0)["sequence"]?.double ?? -1) }
    }

    /// A shell with 18 events in a backup and 20 in the store.
    private func prepare() throws -> (shell: Shell, backup: String) {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try happen(0..<18, shell)
        let backup = try shell.file("x", "") + ".backup"
        #expect(try shell.picket.run("backup", backup).status == 0)
        try happen(18..<20, shell)
        return (shell, backup)
    }

    @Test("A follower is notified that the store was restored, and continues without missing an event")
    func follow() throws {
        let (shell, backup) = try prepare()
        let follower = try shell.picket.start(["events", "--follow", "--last", "20", "--json"])
        defer { follower.kill() }
        var lines: [String] = []
        while lines.count < 20, let line = follower.nextLine() { lines.append(line) }
        #expect(try numbers(lines) == Array(1...20))
        let restored = try shell.picket.run("restore", backup, "--json")
        let answer = try JSONParser.parse(restored.output)
        #expect(restored.status == 0 && answer["resumeAfter"]?.double == 18, "\(restored.errors)")
        let start = Int(answer["store"]?["newestEvent"]?.double ?? 0)
        try happen(20..<23, shell)
        lines = []
        while lines.count < 3, let line = follower.nextLine() { lines.append(line) }
        #expect(try numbers(lines) == [start + 1, start + 2, start + 3])
        follower.kill()
        let notice = String(decoding: follower.errors.readDataToEndOfFile(), as: UTF8.self)
        let problem = try JSONParser.parse(notice)["problem"]
        #expect(problem?["code"]?.string == "cursorGone" && problem?["parameters"]?["resumeAfter"]?.double == 18, "\(notice)")
    }

    @Test("A follower begins with the last ten events, or as many as it asks for", arguments: [false, true])
    func last(isServed: Bool) throws {
        let (shell, _) = try prepare()
        let service = isServed ? try RunningService(data: shell.picket.data) : nil
        var there = Program(data: shell.picket.data + "-none")
        there.environment["PICKET_SERVER"] = service.map { "http://127.0.0.1:\($0.port)" }
        let picket = isServed ? there : shell.picket
        for (options, expected) in [
            ([], Array(11...20)), (["--last", "3"], [18, 19, 20]), (["--limit", "2"], [19, 20]),
            (["--last", "2", "--type", "enter"], [17, 19]), (["--after", "17"], [18, 19, 20]),
            (["--since", "2026-05-01T10:17:00Z"], [18, 19, 20]),
        ] {
            let follower = try picket.start(["events", "--follow", "--json"] + options)
            defer { follower.kill() }
            let begun = try expected.map { _ in try #require(follower.nextLine()) }
            #expect(try numbers(begun) == expected, "\(options)")
        }
        for (options, words) in [
            (["--last", "2"], "only with '--follow'"), (["--follow", "--last", "2", "--after", "1"], "cannot be combined"),
            (["--follow", "--last", "-1"], "whole number"), (["--type", "enter,gone"], "there is no such type"),
            (["--type", ""], "there is no such type"),
        ] {
            let refused = try picket.run(["events"] + options)
            #expect(refused.status == 2 && refused.errors.contains(words), "\(options): \(refused.errors)")
        }
        #expect(try numbers(picket.run("events", "--type", "exit,enter", "--limit", "3", "--json").lines) == [18, 19, 20])
        #expect(try numbers(picket.run("events", "--type", "exit", "--limit", "2", "--json").lines) == [18, 20])
    }

    @Test("Reading after a number continues there, and a number from before a restore is reported", arguments: [false, true])
    func after(isServed: Bool) throws {
        let (shell, backup) = try prepare()
        #expect(try numbers(shell.picket.run("events", "--after", "17", "--json").lines) == [18, 19, 20])
        #expect(try shell.picket.run("events", "--after", "20").output == "No events that match.\n")
        #expect(
            try shell.picket.run("restore", backup).output.contains("after number 18 is asked to continue after it"))
        let service = isServed ? try RunningService(data: shell.picket.data) : nil
        var there = Program(data: shell.picket.data + "-none")
        there.environment["PICKET_SERVER"] = service.map { "http://127.0.0.1:\($0.port)" }
        let picket = isServed ? there : shell.picket
        let gone = try picket.run("events", "--after", "20")
        #expect(gone.status == 2 && gone.output.isEmpty && gone.errors.contains("Continue after 18"), "\(gone)")
        #expect(try numbers(picket.run("events", "--after", "16", "--json").lines) == [17, 18])
        #expect(try picket.run("events", "--after", "soon").status == 2)
        let status = try picket.run("status").output
        #expect(status.contains("18 events") && status.contains("; store ") && status.contains(", restored 1 time"), "\(status)")

        let follower = try picket.start(["events", "--follow", "--json", "--after", "20"])
        defer { follower.kill() }
        try happen(20..<22, shell)
        let lines = [follower.nextLine(), follower.nextLine()].compactMap(\.self)
        #expect(try numbers(lines).allSatisfy { $0 > 1_700_000_000_000 })
        follower.kill()
        #expect(String(decoding: follower.errors.readDataToEndOfFile(), as: UTF8.self).contains("cursorGone"))
    }
}
