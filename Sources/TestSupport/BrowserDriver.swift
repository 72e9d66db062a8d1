import Foundation
import Model

/// A chromedriver process, and a directory for all files of its browser.
///
/// A shell in its own session starts the driver and waits for the end of its standard input, which is a pipe from this process. The kernel
/// closes the pipe when this process ends for any reason. The shell then kills the driver and its browser, and removes the directory.
final class BrowserDriver {
    private static let program = "/usr/bin/chromedriver"
    static let browser = "/usr/bin/chromium"

    /// Whether Chromium and chromedriver are installed. `tools/test` installs them.
    static var isInstalled: Bool { [program, browser].allSatisfy(FileManager.default.isExecutableFile(atPath:)) }

    /// The driver and the browser share a process group, which `setsid` creates, so that one signal reaches both. The browser's child
    /// processes inherit the fifo as their standard output: `cat` ends when the last of them has ended, and `wait` waits for `cat`.
    private static let keeper = """
        mkfifo "$2/log"
        cat "$2/log" &
        setsid "$1" --port=0 >"$2/log" 2>&1 </dev/null &
        driver=$!
        exec >/dev/null 2>&1
        read -r _
        kill -s KILL -- "-$driver"
        wait
        rm -rf "$2"
        """

    let directory: TemporaryDirectory
    private let process: TestProcess
    private let lifeline: Pipe
    private let log: ProcessLog
    private let connection: RawConnection

    /// The parts of a started driver.
    private struct Started {
        var directory: TemporaryDirectory
        var process: TestProcess
        var lifeline: Pipe
        var log: ProcessLog
        /// Nil when the driver does not accept connections.
        var port: Int?
    }

    /// Starts the driver, and waits until it accepts connections.
    init() throws {
        guard Self.isInstalled else {
            throw Browser.Failure(code: "not installed", message: "Install the packages chromium and chromium-driver.")
        }
        var started = try Self.start()
        // chromedriver picks a port that is free for IPv6, and exits if another process uses the same port for IPv4.
        var attempts = 1
        while started.port == nil, started.log.text.contains("port not available"), attempts < 20 {
            Self.end(started.process, started.lifeline)
            started = try Self.start()
            attempts += 1
        }
        (directory, process, lifeline, log) = (started.directory, started.process, started.lifeline, started.log)
        do {
            guard let port = started.port else {
                throw Browser.Failure(code: "did not start", message: "chromedriver: \(started.log.text)")
            }
            // The timeout is longer than the time limits of the session, which end every command.
            connection = try RawConnection(port: port, seconds: 330)
        } catch {
            Self.end(started.process, started.lifeline)
            throw error
        }
    }

    private static func start() throws -> Started {
        let directory = try TemporaryDirectory()
        let (lifeline, output) = (Pipe(), Pipe())
        let process = try TestProcess(
            "/usr/bin/setsid", ["sh", "-c", keeper, "sh", program, directory.path],
            // The environment contains no settings of the user and no proxy.
            environment: [
                "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": directory.path, "TMPDIR": directory.path, "LANG": "C.UTF-8",
            ],
            directory: directory.path, input: .pipe(lifeline), output: .pipe(output), errors: .pipe(output))
        let log = ProcessLog(output.fileHandleForReading)
        let port = log.wait { text in text.firstMatch(of: /started successfully on port (\d+)\./).flatMap { Int($0.1) } }
        return Started(directory: directory, process: process, lifeline: lifeline, log: log, port: port)
    }

    private static func end(_ process: TestProcess, _ lifeline: Pipe) {
        // Closing only fails when the pipe is closed already.
        try? lifeline.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    deinit { end() }

    /// Kills the driver and its browser, and waits until their processes have ended and their files are removed.
    func end() { Self.end(process, lifeline) }

    /// Sends a command and returns the `value` of its answer.
    ///
    /// - Throws: `Browser.Failure` when the driver answers with an error; `RawConnection.Failure` when it does not answer.
    func send(_ method: String, _ path: String, body: JSONValue? = nil) throws -> JSONValue {
        guard
            let answer = try connection.send(
                method, path, body: body?.description, type: "application/json; charset=utf-8")
        else { throw Browser.Failure(code: "no answer", message: "chromedriver has ended: \(log.text)") }
        let value = try JSONParser.parse(answer.text)["value"] ?? .null
        guard answer.status == 200 else {
            throw Browser.Failure(
                code: value["error"]?.string ?? "status \(answer.status)", message: value["message"]?.string ?? answer.text)
        }
        return value
    }
}
