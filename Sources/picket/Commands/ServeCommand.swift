import Core
import Foundation
import HTTPServer
import Model
import Places
import Server
import Settings
import ToolSupport

/// `picket serve`: runs the service.
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "Run the service: dashboard, HTTP API and live stream.",
        options: Option.serve + [
            Option("--yes", "Confirm that positions are kept for less than an hour and older ones are deleted")
        ],
        discussion: """
            Runs in the foreground until SIGTERM or SIGINT, then finishes the accepted requests and exits. SIGHUP reloads tokens,
            the log level, the MQTT broker's settings and the certificate, and reopens the log file. As long as no token has been
            created, the service accepts requests only from this machine, and from every user of it.
            """,
        noServer: .needsNoService(Phrase("it is the service itself")),
        examples: [
            "picket serve", "picket serve --listen 0.0.0.0:7575 --tls-cert cert.pem --tls-key key.pem",
            "picket serve --mqtt mqtts://broker.example",
        ]
    ) { invocation throws(Problem) in
        let settings = try invocation.settings()
        try confirmDeletion(settings, invocation)
        let signals = Signals([SIGTERM, SIGINT, SIGHUP])
        try Descriptors.raise()
        let server = try Server(
            settings, version: Picket.version, dashboard: InstalledFiles.dashboard,
            socket: try ListeningSocket(passedBy: invocation.environment))
        try server.start()
        // A program that waits for the service reads the log then.
        server.flushLog()
        invocation.print(
            ["url": .string(server.url), "recovered": server.recovery.json],
            or: Phrase("Picket serves \(invocation.directory.path) at \(server.url)"))
        let addresses = server.networkAddresses
        if !addresses.isEmpty, !invocation.isJSON {
            invocation.print(Phrase("In this machine's networks: \(addresses.joined(separator: ", "))"))
        }
        invocation.output.flush()
        let manager = ServiceManager(invocation.environment)
        manager.ready("serves at \(server.url)")
        if let pace = manager.aliveInterval {
            Thread.detachNewThread {
                while true {
                    if server.answers(within: pace) { manager.alive() }
                    Thread.sleep(forTimeInterval: pace)
                }
            }
        }
        while signals.next() == SIGHUP {
            manager.reloading()
            do throws(Problem) {
                // A program that has renamed the log's file waits for this, even when the settings cannot be used.
                try server.reopenLog()
            } catch {
                invocation.report(error)
            }
            do throws(Problem) {
                try server.reload(try invocation.settings())
            } catch {
                invocation.report(error)
            }
            server.flushLog()
            manager.ready("serves at \(server.url)")
        }
        manager.stopping()
        server.stop()
        return .done
    }

    /// Refuses a setting that keeps positions for less than an hour, unless `--yes` confirms it. Zero, which keeps no positions, needs no
    /// confirmation because it is hardly a mistake.
    private static func confirmDeletion(_ settings: Settings, _ invocation: Invocation) throws(Problem) {
        guard let seconds = settings.keepPositions, seconds > 0, seconds < PositionDeletion.shortestUnconfirmed,
            !invocation.has("--yes")
        else { return }
        let store = try ServiceReader(DataDirectory(path: settings.dataDirectory))
        try store.countDeletable(ofDevice: nil, keeping: seconds).confirm(
            seconds, TimeSpan.text(seconds), field: "keep-positions", isConfirmed: false, when: .withinMinute)
    }
}

/// A set of signals that one thread waits for.
struct Signals {
    private var set = sigset_t()

    /// Blocks the signals in the calling thread and in all threads that it creates later. Also ignores SIGPIPE and SIGXFSZ.
    init(_ numbers: [Int32]) {
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // Writes to a closed connection fail with EPIPE instead.
        signal(SIGPIPE, SIG_IGN)
        // Writes past the file size limit fail with EFBIG instead.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Blocks until one of the signals arrives.
    func next() -> Int32 {
        var set = set
        var number: Int32 = 0
        sigwait(&set, &number)
        return number
    }
}
