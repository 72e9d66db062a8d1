import Foundation
import Model
import TestSupport
import Testing

@Suite("Sink commands", .timeLimit(.minutes(60)))
struct SinkCommandTests {
    private let shell: Shell

    init() throws { shell = try Shell() }

    private func json(_ arguments: String...) throws -> JSONValue {
        try JSONParser.parse(shell.picket.run(arguments + ["--json"]).output)
    }

    @Test("Sinks are created, shown, changed, paused, resumed and removed without a service")
    func life() throws {
        let picket = shell.picket
        let added = try json(
            "sink", "add", "ntfy", "https://ntfy.example.com/family-7f3k", "--id", "phone", "--type", "enter,exit")
        #expect(added["id"] == "phone" && added["kind"] == "ntfy" && added["filter"]?["types"] == ["enter", "exit"])
        #expect(try json("sink", "edit", "phone", "--quiet", "22:00-07:00")["filter"]?["quietHours"] == ["22:00-07:00"])
        let filter = try json("sink", "show", "phone")["filter"]
        #expect(filter?["types"] == ["enter", "exit"] && filter?["quietHours"] == ["22:00-07:00"])
        #expect(added["maxAge"]?.double == 86_400)
        #expect(try json("sink", "edit", "phone", "--max-age", "forever")["maxAge"] == "forever")
        #expect(try picket.run("sink", "show", "phone").output.contains("Max age    forever"))
        #expect(try json("sink", "edit", "phone", "--max-age", "36h")["maxAge"]?.double == 129_600)
        #expect(try picket.run("sink", "show", "phone").output.contains("Max age    36h"))
        #expect(try json("sink", "pause", "phone")["isPaused"] == true)
        #expect(try picket.run("sink", "list").output.contains("paused"))
        #expect(try json("sink", "resume", "phone")["isPaused"] == false)
        #expect(try picket.run("sink", "parked", "phone").output == "Sink phone has rejected no events.\n")
        #expect(try picket.run("sink", "add", "ntfy", "other", "--id", "phone").status == 2)
        #expect(try picket.run("sink", "remove", "phone").output == "Removed sink phone.\n")
        #expect(try picket.run("sink", "list").output.contains("No sinks"))
    }

    @Test(
        "Bad input is named, with what is expected",
        arguments: [
            (["webhook", "example.com/h"], ["url", "it has no scheme", "https://"]),
            (["webhook", "ftp://example.com/h"], ["its scheme is 'ftp'", "http:// or https://"]),
            (
                ["webhook", "https://example.com/h", "--template", "{\"a\":\"{mesage}\"}"],
                ["{mesage}", "no such field", "{message}"]
            ),
            (["webhook", "https://example.com/h", "--template", "{\"a\":"], ["it is not JSON"]),
            (["ntfy", "a b"], ["url", "must be escaped"]),
            (["telegram", "123"], ["token", "it is missing"]),
            (
                ["email", "mia@example.com", "--smtp", "mail.example.com", "--from", "p@example.com"],
                ["--smtp", "no scheme", "smtps://"]
            ),
            (["webhook", "https://example.com/h", "--quiet", "25:00-07:00"], ["--quiet", "HH:MM-HH:MM"]),
            (["webhook", "https://example.com/h", "--timezone", "Mars/Olympus"], ["no such time zone", "Europe/Berlin"]),
            (["webhook", "https://example.com/h", "--max-age", "never"], ["--max-age", "forever"]),
            (["webhook", "https://example.com/h", "--max-age", "0"], ["--max-age", "forever"]),
            (["webhook", "https://example.com/h", "--rate", "many"], ["--rate", "10/1m"]),
            (["ntfy", "a", "--max-age", "none"], ["--max-age 'none'", "forever"]),
            (["ntfy", "a", "--max-age", "24"], ["--max-age '24'", "duration"]),
            (["webhook", "https://example.com/h", "--header", ""], ["--header", "colon"]),
            (["webhook", "https://example.com/h", "--quiet", ";22:00-07:00"], ["--quiet", "HH:MM-HH:MM"]),
            (["slack", "https://example.com/h", "--priority", "4"], ["--priority", "slack has no such", "ntfy or gotify"]),
            (["command", "notify"], ["command", "absolute path"]),
            (["webhok", "https://example.com/h"], ["no such kind", "'webhook'"]),
        ])
    func badInput(words: [String], says: [String]) throws {
        try shell.picket.createStore()
        let result = try shell.picket.run(["sink", "add"] + words)
        #expect(result.status == 2)
        for text in says { #expect(result.errors.contains(text), "\(result.errors)") }
        #expect(try shell.picket.run("sink", "list").output.contains("No sinks"))
    }

    @Test(
        "A header is removed by an empty value, the last time window may end with a semicolon, and 'none' is a user like others")
    func unusualValues() throws {
        let picket = shell.picket
        try #require(
            picket.run(
                "sink", "add", "webhook", "https://example.com/h", "--id", "h", "--header", "X-A: 1", "--header", "X-B: 2",
                "--quiet",
                "22:00-07:00; sun 00:00-24:00;"
            ).status == 0)
        #expect(try json("sink", "show", "h")["filter"]?["quietHours"] == ["22:00-07:00", "sun 00:00-24:00"])
        #expect(try json("sink", "edit", "h", "--header", "X-A:")["headers"]?.members?.map(\.name) == ["X-B"])
        try #require(
            picket.run(
                "sink", "add", "email", "a@example.com", "--id", "m", "--smtp", "smtps://mail.example.com", "--from",
                "b@example.com",
                "--user", "none", "--password", "none"
            ).status == 0)
        #expect(try json("sink", "show", "m")["user"] == "none")
    }

    @Test("Secrets are hidden in output, log and process list, and are still sent")
    func secrets() throws {
        let endpoint = try ScriptedEndpoint { request, _ in
            .answer(
                401, body: "no: \(request.target) \(request.headers["authorization"] ?? "") \(request.headers["x-key"] ?? "")")
        }
        let token = try shell.file("token.txt", "t0ken-s3cret\n")
        let url = endpoint.url.replacing("://", with: "://user:passw0rd-s3cret@") + "/h/path1s3cret-of-webhook?key=query-s3cret"
        var said = ""
        func run(_ arguments: String...) throws {
            let result = try shell.picket.run(arguments)
            said += result.output + result.errors
        }
        try run(
            "sink", "add", "webhook", url, "--id", "hook", "--sink-token", "@" + token, "--header", "X-Key: header-s3cret",
            "--secret", "signing-s3cret")
        try run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let service = try RunningService(data: shell.picket.data, "--log-level", "debug")
        for command in [["sink", "list"], ["sink", "show", "hook"], ["sink", "test", "hook"]] {
            for more in [[], ["--json"]] {
                let result = try shell.picket.run(command + more)
                said += result.output + result.errors
            }
        }
        _ = try service.connect().send(
            "POST", "/v1/positions?policy=exact",
            body: #"[{"device":"mia","timestamp":"2026-05-01T10:00:00Z","latitude":52.6,"longitude":13.4},"#
                + #"{"device":"mia","timestamp":"2026-05-01T10:05:00Z","latitude":52.5,"longitude":13.4}]"#)
        #expect(endpoint.wait(for: 3))
        // The sink is tried again because of the refusal, which is in the journal.
        while try json("sink", "show", "hook")["connection"]?["state"] != "reconnecting" {}
        try run("problems", "--json")
        let problems = try shell.picket.run("problems").output
        #expect(problems.contains("→ Sign In: picket sink edit hook --sink-token @FILE"), "\(problems)")
        said += problems
        try run("sink", "show", "hook", "--json")
        try run("config")
        said += try service.connect().send("GET", "/metrics").map { String(decoding: $0.body, as: UTF8.self) } ?? ""
        service.kill()
        said += String(decoding: service.running.errors.readDataToEndOfFile(), as: UTF8.self)
        #expect(said.contains("sinkUnauthorized") && said.contains("(hidden)"))
        for secret in ["t0ken-s3cret", "passw0rd-s3cret", "path1s3cret", "query-s3cret", "header-s3cret", "signing-s3cret"] {
            #expect(!said.contains(secret), "\(secret) in \(said)")
        }
        let request = endpoint.requests[0]
        #expect(request.target == "/h/path1s3cret-of-webhook?key=query-s3cret" && request.headers["x-key"] == "header-s3cret")
    }

    @Test("Secrets in the arguments are hidden from other users")
    func processList() throws {
        // The command waits for the template on standard input, so that its arguments can be read meanwhile.
        let input = Pipe()
        let process = try TestProcess(
            Program.path,
            [
                "--data", shell.picket.data, "sink", "add", "webhook", "https://user:passw0rd@example.com/in/p4th",
                "--sink-token",
                "t0ken", "--secret=s1gning", "--header", "X: h3ader", "--template", "-",
            ], input: .pipe(input), output: .null, errors: .null)
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        let secrets = ["passw0rd", "p4th", "t0ken", "s1gning", "h3ader"]
        var seen = ""
        // The secrets are hidden one after the other after the start.
        let end = ContinuousClock.now + .seconds(Watchdog.seconds)
        repeat {
            sched_yield()
            seen = String(
                decoding: try Data(contentsOf: URL(filePath: "/proc/\(process.processIdentifier)/cmdline")), as: UTF8.self)
        } while (!seen.contains("xxxx") || secrets.contains(where: seen.contains)) && ContinuousClock.now < end
            && process.isRunning
        #expect(seen.contains("--sink-token") && seen.contains("https://xxxx"))
        for secret in secrets { #expect(!seen.contains(secret), "\(seen)") }
    }

    @Test("An untrusted certificate is reported, and the event waits")
    func certificate() throws {
        let other = try Shell()
        let peer = try RunningService(
            data: other.picket.data, "--tls-cert", try shell.file("c.pem", TestCertificates.certificate), "--tls-key",
            try shell.file("k.pem", TestCertificates.key))
        #expect(try shell.picket.run("sink", "add", "webhook", "https://127.0.0.1:\(peer.port)/h", "--id", "hook").status == 0)
        let test = try shell.picket.run("sink", "test", "hook", "--json")
        #expect(test.status == 1)
        #expect(try JSONParser.parse(test.output)["problem"]?["code"] == "tlsFailed")
    }
}
