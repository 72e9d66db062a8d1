import Foundation
import Model
import TestSupport
import Testing

@Suite("Commands with --server")
struct RemoteCommandTests {
    /// A shell with an empty directory, and a token of a service on another directory.
    private struct Elsewhere {
        let shell: Shell
        let served: ServedShell
        let options: [String]

        init(role: String = "admin") throws {
            shell = try Shell()
            served = try ServedShell { picket in
                try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100", "--dwell", "60")
                try picket.run("geofence", "add", "--id", "away", "--circle", "52.6,13.4,100")
                try picket.run("device", "add", "anna", "--platform", "android", "--groups", "team")
                for (time, latitude) in [("10:00", 52.5), ("10:05", 52.5), ("10:10", 52.6), ("10:20", 52.5)] {
                    try picket.run(
                        "feed", "-", "--policy", "exact",
                        input:
                            "{\"device\":\"anna\",\"timestamp\":\"2026-05-01T\(time):00Z\",\"latitude\":\(latitude),\"longitude\":13.4}\n"
                    )
                }
            }
            let made = try served.picket.run("token", "create", "test", "--role", role, "--json")
            let secret = try #require(try JSONParser.parse(made.output)["secret"]?.string)
            options = ["--server", served.url, "--token", secret]
        }

        func run(_ words: String...) throws -> Program.Result { try shell.picket.run(words + options) }
    }

    @Test("The profile of a simulated phone is chosen through a service")
    func phoneProfile() throws {
        let there = try Elsewhere()
        let added = try there.run("device", "add", "new", "--platform", "ios", "--profile", "clmonitor")
        #expect(added.status == 0, "\(added.errors)")
        let edited = try there.run("device", "edit", "anna", "--profile", "custom", "--region-limit", "9")
        #expect(edited.status == 0, "\(edited.errors)")
        func head(_ device: String) throws -> String? {
            try there.served.picket.run("registry", "show", "--device", device).lines.first
        }
        #expect(try head("new")?.contains("(iOS, clmonitor)") == true)
        #expect(try head("anna")?.contains("(Android, custom) (simulated): 0 of 9 regions") == true)
    }

    @Test("A service is changed and read from a directory without a store")
    func away() throws {
        let there = try Elsewhere()
        let added = try there.run("geofence", "add", "--id", "school", "--circle", "52.7,13.4,100")
        #expect(added.status == 0, "\(added.errors)")
        #expect(try there.run("geofence", "list").output.contains("3 geofences"))
        #expect(try there.served.picket.run("geofence", "list", "--json").lines.count == 3)
        #expect(!FileManager.default.fileExists(atPath: there.shell.picket.data))
        var byEnvironment = there.shell.picket
        byEnvironment.environment = ["PICKET_SERVER": there.options[1], "PICKET_TOKEN": there.options[3]]
        #expect(try byEnvironment.run("geofence", "remove", "school").status == 0)
        // Commands that work on a data directory must not use the local one by mistake.
        for words in [["compact"], ["restore", "x"], ["registry", "drop"]] {
            let refused = try byEnvironment.run(words)
            #expect(refused.status == 2 && refused.errors.contains(there.served.url), "\(words): \(refused.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: there.shell.picket.data))
    }

    @Test("Reading through a service gives what the store itself gives")
    func reading() throws {
        let there = try Elsewhere()
        // The service opens the problem of anna's phone within seconds.
        while try !there.served.picket.run("problems").output.contains("anna") {}
        // So does its clock with the dwell after the last position.
        func dwells() throws -> Int {
            try there.served.picket.run("events", "--type", "dwell", "--json").output.components(separatedBy: "\"dwell\"").count
                - 1
        }
        while try dwells() < 2 {}
        let questions = [
            ["geofence", "list"], ["geofence", "list", "--matching", "hom"], ["geofence", "show", "home"], ["device", "list"],
            ["device", "show", "anna"], ["status", "--device", "anna"], ["status", "--geofence", "home"],
            ["status", "--geofence", "away"], ["events"], ["events", "--type", "exit"],
            ["events", "--type", "enter, exit"], ["events", "--type", "enter,gone"], ["events", "--limit", "2"],
            ["events", "--since", "2026-05-01T10:06:00Z", "--until", "2026-05-01T10:15:00Z"], ["events", "--geofence", "away"],
            ["visits"], ["visits", "--open"], ["visits", "--limit", "1"], ["visits", "--elapsed"],
            ["visits", "--totals", "--until", "2026-05-01T10:30:00Z"], ["visits", "--min-duration", "1h"],
            ["visits", "--min-duration", "1s", "--limit", "1"], ["visits", "--totals", "--min-duration", "1h"],
            ["visits", "--min-duration", "soon"],
            ["report", "--by", "device", "--period", "day", "--since", "2026-05", "--until", "2026-05", "--min-duration", "1h"],
            ["visits", "--totals", "--elapsed", "--since", "2026-05-01T10:03:00Z", "--until", "2026-05-01T10:12:00Z"],
            ["visits", "--since", "2026-05-02", "--until", "2026-05-01"],
            ["events", "--since", "2026-05-02", "--until", "2026-05-01"], ["token", "list"], ["geofence", "show", "zzz"],
            ["visits", "--device", "zzz"], ["explain", "--device", "anna", "--geofence", "home"],
            ["explain", "--device", "anna", "--geofence", "away", "--at", "2026-05-01T10:10:00Z", "--around", "1"],
            ["explain", "--device", "ana", "--geofence", "home"], ["explain", "--device", "anna", "--geofence", "hom"],
        ]
        for words in questions {
            for more in [[], ["--json"]] {
                let here = try there.served.picket.run(words + more)
                let away = try there.shell.picket.run(words + more + there.options)
                #expect(away.output == here.output, "\(words)")
                #expect(away.errors == here.errors, "\(words)")
                #expect(away.status == here.status, "\(words)")
            }
        }
        #expect(try there.run("events", "--json").lines.count >= 6)
        #expect(try there.run("status").output.contains("1 device, 2 geofences, 4 positions"))
    }

    @Test("The events of a service are followed")
    func follow() throws {
        let there = try Elsewhere()
        let follower = try there.shell.picket.start(["events", "--follow", "--json", "--type", "enter"] + there.options)
        defer { follower.kill() }
        try there.served.picket.run("geofence", "add", "--id", "new", "--circle", "52.5,13.4,100")
        var places: [String?] = []
        while places.last != "new" {
            let event = try JSONParser.parse(try #require(follower.nextLine()))
            #expect(event["type"]?.string == "enter" && event["deviceId"]?.string == "anna")
            places.append(event["geofenceId"]?.string)
        }
        #expect(places == ["home", "away", "home", "new"])
    }

    @Test("A wrong token and one without permission are reported")
    func tokens() throws {
        let there = try Elsewhere(role: "reader")
        let forbidden = try there.run("device", "add", "ben")
        #expect(forbidden.status == 3 && forbidden.errors.contains("does not allow this"), "\(forbidden.errors)")
        let wrong = try there.shell.picket.run(
            "device", "add", "ben", "--server", there.served.url, "--token", "picket_wrong", "--json")
        #expect(wrong.status == 3)
        #expect(try JSONParser.parse(wrong.errors)["problem"]?["code"]?.string == "unauthorized")
        #expect(!wrong.errors.contains("picket_wrong"))
        let none = try there.shell.picket.run("device", "add", "ben", "--server", there.served.url)
        #expect(none.status == 3 && none.errors.contains("Sign-in needed"))
    }

    @Test("A missing service is reported")
    func nobody() throws {
        let there = try Elsewhere()
        there.served.kill()
        let result = try there.run("device", "add", "ben")
        #expect(result.status == 3 && result.errors.contains("\(there.served.url) cannot be reached"), "\(result.errors)")
        let feed = try there.run(
            "feed", there.shell.file("a.csv", "device,timestamp,latitude,longitude\nd,2026-05-01T10:00:00Z,1,2\n"))
        #expect(feed.status == 3 && feed.output.contains("0 accepted"), "\(feed)")
    }
}
