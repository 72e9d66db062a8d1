import Foundation
import Model
import Server
import Service
import Settings

/// `picket serve`
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "Run the service: HTTP API, live stream.",
        options: Option.serve + [Option("--yes", "Keep positions for less than an hour, and delete what is older")],
        discussion: """
            It runs in the foreground until SIGTERM or SIGINT, finishes what it has accepted, and ends. SIGHUP reads settings,
            tokens, the MQTT broker's address and the certificate again. While no token was ever made it serves this machine alone, and everybody on it.
            """,
        examples: [
            "picket serve", "picket serve --listen 0.0.0.0:7575 --tls-cert cert.pem --tls-key key.pem",
            "picket serve --mqtt mqtts://broker.example",
        ]
    ) { invocation throws(Problem) in
        let settings = try invocation.settings()
        try confirmDeletion(settings, invocation)
        let signals = Signals([SIGTERM, SIGINT, SIGHUP])
        try Descriptors.raise()
        let server = try Server(settings, version: Picket.version, dashboard: InstalledFiles.dashboard)
        if invocation.isJSON {
            invocation.output.print(
                JSONValue.object([.init("url", .string(server.url)), .init("recovered", server.recovery.json)]).description)
        } else {
            invocation.output.print("Picket serves \(invocation.directory.path) at \(server.url)")
        }
        invocation.output.flush()
        let manager = ServiceManager(invocation.environment)
        manager.ready("serves at \(server.url)")
        if let pace = manager.pace {
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
                try server.reload(try invocation.settings())
            } catch {
                invocation.report(error)
            }
            manager.ready("serves at \(server.url)")
        }
        manager.stopping()
        server.stop()
        return .done
    }

    /// Refuses to keep positions for less than an hour, unless that is confirmed. To keep none is no slip of the pen.
    private static func confirmDeletion(_ settings: Settings, _ invocation: Invocation) throws(Problem) {
        guard let seconds = settings.keepPositions, seconds > 0, seconds < PositionDeletion.unconfirmed,
            !invocation.has("--yes")
        else { return }
        let store = try ServiceReader(DataDirectory(path: settings.dataDirectory))
        try store.deletion(ofDevice: nil, keeping: seconds).confirm(
            seconds, TimeSpan.text(seconds), field: "keep-positions", isConfirmed: false, when: "within a minute")
    }
}

/// Signals, waited for by one thread.
struct Signals {
    private var set = sigset_t()

    /// Keeps these signals back from now on, for all threads that are made later.
    init(_ numbers: [Int32]) {
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        // A peer that has gone is told by the write's result.
        signal(SIGPIPE, SIG_IGN)
        // A file that has come to its limit, too.
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Waits for one of them.
    func next() -> Int32 {
        var set = set
        var number: Int32 = 0
        sigwait(&set, &number)
        return number
    }
}
