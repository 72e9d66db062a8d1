import Foundation
import Model
import TestSupport
import Testing

@Suite("Shell completions")
struct CompletionTests {
    /// Writes the completions for a shell into a file, and returns its path.
    private func completions(_ shell: String, in directory: TemporaryDirectory) throws -> String {
        let result = try Program(data: directory.path).run("completions", shell)
        #expect(result.status == 0 && result.errors.isEmpty)
        return try directory.write(result.output, to: "picket.\(shell)")
    }

    /// The candidates of bash for the last of these words.
    private func offered(_ words: [String], _ file: String, program: String = "picket") throws -> [String] {
        let bash = try #require(Tool("bash"))
        let script = """
            source "$1" && shift
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
            "$(complete -p picket | sed 's/.*-F \\([^ ]*\\).*/\\1/')" && printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = try bash.run(["-euc", script, "bash", file, program] + words)
        #expect(result.status == 0, "\(words): \(result.output)")
        return result.output.split(separator: "\n").map(String.init)
    }

    @Test(
        "Bash completes commands, options and values",
        arguments: [
            (["ge"], ["geofence"]), (["geofence", "e"], ["edit", "export"]), (["token", ""], ["create", "list", "revoke"]),
            (["--data", "/tmp", "geofence", "li"], ["list"]), (["--data", "=", "/tmp", "geofence", "li"], ["list"]),
            (["--data", "geofence", "ge"], ["geofence"]), (["-"], ["--data", "--language", "--timezone", "--json", "--help"]),
            (["token", "create", "--ro"], ["--role"]),
            (["token", "create", "anna", "--role", ""], ["admin", "reader", "ingest"]),
            (["token", "create", "--role", "=", "re"], ["reader"]),
            (["token", "create", "--role", "="], ["admin", "reader", "ingest"]),
            (["events", "--json", "--type", "e"], ["enter", "exit"]), (["serve", "--durability", "n"], ["normal"]),
            (["--language", ""], ["en", "de", "tr"]), (["registry", "location", "o"], ["on", "off"]),
            (["completions", "z"], ["zsh"]),
            (["geofence", "add", "--name", "x"], []), (["status", "x"], []), (["nonsense", "x"], []),
        ] as [([String], [String])])
    func bash(_ words: [String], _ expected: [String]) throws {
        let directory = try TemporaryDirectory()
        #expect(try offered(words, completions("bash", in: directory)) == expected, "\(words)")
    }

    /// A store with something of each kind, one device with an id that a shell would evaluate.
    private func filledStore(_ directory: TemporaryDirectory) throws -> Program {
        let picket = Program(data: directory.path + "/data")
        for command in [
            ["geofence", "add", "--id", "home", "--circle", "52.5,13.4,100", "--groups", "family"],
            ["device", "add", "anna phone", "--groups", "kids"], ["device", "add", "$(touch x)"],
            ["sink", "add", "file", directory.path + "/events", "--id", "out"],
            ["rule", "add", "--device", "anna phone", "--geofence", "home", "--stays-at-most", "90m", "--id", "long"],
        ] {
            let result = try picket.run(command)
            #expect(result.status == 0, "\(command): \(result.errors)")
        }
        return picket
    }

    @Test("Bash completes ids from the store, quoted and not evaluated, and nothing when there is none")
    func ids() throws {
        let directory = try TemporaryDirectory()
        let file = try completions("bash", in: directory)
        let picket = try filledStore(directory)
        for (words, expected) in [
            (["device", "show", ""], [#"\$\(touch\ x\)"#, #"anna\ phone"#]), (["device", "show", "an"], [#"anna\ phone"#]),
            (["device", "add", ""], []), (["geofence", "remove", "ho"], ["home"]),
            (["events", "--device", "an"], [#"anna\ phone"#]),
            (["geofence", "list", "--group", ""], ["family", "kids"]), (["sink", "show", ""], ["out"]),
            (["rule", "edit", ""], ["long"]), (["sink", "show", "--"], nil),
        ] as [([String], [String]?)] {
            let found = try offered(["--data", picket.data] + words, file, program: Program.path)
            if let expected { #expect(found == expected, "\(words)") } else { #expect(found.contains("--data")) }
        }
        #expect(!FileManager.default.fileExists(atPath: "x"))
        #expect(try offered(["--data", "/nowhere", "device", "show", ""], file, program: Program.path) == [])
        #expect(try offered(["--server", "http://127.0.0.1:1", "device", "show", ""], file, program: Program.path) == [])
        let nothing = try Program(data: "/proc/nowhere").run("ids", "device")
        #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors.isEmpty)
    }

    @Test("Ids are listed from the store and from a running service, for each kind")
    func listedIDs() throws {
        let directory = try TemporaryDirectory()
        let picket = try filledStore(directory)
        let service = try RunningService(data: picket.data)
        let token = try picket.run("token", "create", "me", "--role", "admin", "--json").output
        let secret = try #require(try JSONParser.parse(token)["secret"]?.string)
        let id = try #require(try JSONParser.parse(token)["id"]?.string)
        for (kind, expected) in [
            ("device", ["$(touch x)", "anna phone"]), ("geofence", ["home"]), ("group", ["family", "kids"]), ("sink", ["out"]),
            ("rule", ["long"]), ("token", [id]), ("problem", []),
        ] {
            #expect(try picket.run("ids", kind).lines == expected, "\(kind)")
            let address = ["--server", "http://127.0.0.1:\(service.port)", "--token", secret]
            #expect(try picket.run(["ids", kind] + address).lines == expected, "\(kind) by the service")
        }
        #expect(try picket.run("ids", "colour").status == 2)
    }

    @Test("Bash completes files and directories where they are expected")
    func files() throws {
        let directory = try TemporaryDirectory()
        let file = try completions("bash", in: directory)
        try FileManager.default.createDirectory(atPath: directory.path + "/deep", withIntermediateDirectories: false)
        let begun = directory.path + "/"
        #expect(try Set(offered(["feed", begun], file)) == [begun + "deep", file])
        #expect(try Set(offered(["feed", "one.csv", begun], file)) == [begun + "deep", file])
        #expect(try offered(["feed", "--data", begun], file) == [begun + "deep"])
        #expect(try offered(["--data", begun], file) == [begun + "deep"])
        #expect(try Set(offered(["geofence", "add", "--geometry", begun], file)) == [begun + "deep", file])
    }

    @Test("Every option in the help of a command is completed")
    func options() throws {
        let directory = try TemporaryDirectory()
        let file = try completions("bash", in: directory)
        let commands = try CommandHelp.all()
        #expect(commands.count > 30)
        for help in commands {
            let lines = help.lines.filter { $0.hasPrefix("  --") }
            let options = lines.map { String($0.dropFirst(2).prefix { $0 != " " }) }
            #expect(try offered(help.command + ["--"], file) == options, "\(help.command)")
        }
    }

    @Test("Bash completes a word that is typed at a terminal")
    func terminal() throws {
        guard Tool("script") != nil, let timeout = Tool("timeout") else {
            return Tool.skipped("completion at a terminal", without: "script(1)")
        }
        let directory = try TemporaryDirectory()
        let file = try completions("bash", in: directory)
        let (input, output) = (Pipe(), Pipe())
        let process = try TestProcess(
            timeout.path, ["\(Int(Watchdog.seconds))", "script", "-qfec", "exec bash --norc --noprofile -i", "/dev/null"],
            input: .pipe(input), output: .pipe(output), errors: .pipe(output))
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }
        var shown = ""
        func waitFor(_ text: String) {
            while !shown.contains(text) {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                shown += String(decoding: more, as: UTF8.self)
            }
        }
        type("picket() { printf '<%s>' \"$@\"; }; source '\(file)'; echo rea''dy\n")
        waitFor("ready\r\n")
        type("picket ge\tli\t--gr\tfamily\n")
        waitFor("<family>")
        #expect(shown.contains("<geofence><list><--group><family>"), "\(shown)")
        type("exit\n")
    }

    @Test("Fish completes commands, options and values")
    func fish() throws {
        guard let fish = Tool("fish") else { return Tool.skipped("completions for fish", without: "fish") }
        let directory = try TemporaryDirectory()
        let file = try completions("fish", in: directory)
        let picket = try filledStore(directory)
        let ids = try fish.run(
            [
                "--no-config", "-c", "source $argv[1]; complete -C \"$argv[2] --data $argv[3] device show an\"", file,
                Program.path, picket.data,
            ], environment: ["HOME": directory.path])
        #expect(ids.output.contains("anna phone"), "\(ids.output)")
        for (line, expected) in [
            ("ge", ["geofence"]), ("--data /tmp token ", ["create", "list", "revoke"]), ("token create --ro", ["--role"]),
            ("token create anna --role ", ["admin", "reader", "ingest"]), ("serve --durability n", ["normal"]),
            ("registry location o", ["off", "on"]), ("status x", []), ("geofence add --name ", []),
        ] {
            let result = try fish.run(
                ["--no-config", "-c", "source $argv[1]; complete -C \"picket $argv[2]\"", file, line],
                environment: ["HOME": directory.path])
            let offered = result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
            #expect(Set(offered) == Set(expected), "\(line): \(result.output)")
        }
    }

    @Test("Zsh completes commands, options and values")
    func zsh() throws {
        guard Tool("zsh") != nil else { return Tool.skipped("completions for zsh", without: "zsh") }
        // A shell that waits forever is ended.
        let timeout = try #require(Tool("timeout"))
        let directory = try TemporaryDirectory()
        let file = try completions("zsh", in: directory)
        // Lists the candidates in a pseudo-terminal.
        let script = """
            zmodload zsh/zpty
            zpty shell zsh -f -i
            zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source $1; picket() { printf '<%s>' \\"\\$@\\" }; echo rea''dy"
            zpty -r shell shown '*ready*'
            zpty -w -n shell $'picket ge\\tli\\t--gr\\tfamily\\n'
            zpty -r shell shown '*family>*'
            zpty -w -n shell $'picket token create anna --role re\\t\\n'
            zpty -r shell more '*reader>*'
            print -r -- "$shown$more"
            zpty -d shell
            """
        let result = try timeout.run(
            ["\(Int(Watchdog.seconds))", "zsh", "-f", "-c", script, "zsh", file],
            environment: ["HOME": directory.path, "TERM": "dumb"])
        #expect(result.output.contains("<geofence><list><--group=family>"), "\(result.output)")
        #expect(result.output.contains("<token><create><anna><--role><reader>"), "\(result.output)")
    }

    @Test("An unknown shell is refused, with the known ones")
    func unknown() throws {
        let result = try Program(data: try TemporaryDirectory().path).run("completions", "tcsh")
        #expect(result.status == 2 && result.errors.contains("bash, zsh or fish"), "\(result.errors)")
    }
}
