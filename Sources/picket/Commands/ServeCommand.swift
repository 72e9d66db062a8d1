import Foundation
import Model
import Server
import Service

/// `picket serve`
enum ServeCommand {
    static let command = Command(
        name: "serve", summary: "Run the service: HTTP API, live stream.",
        options: [
            Option("--listen", "ADDRESS", "Where to listen, as 127.0.0.1:7575; port 0 takes a free one"),
            Option("--durability", "KIND", "full (default): synced before the answer; normal: survives a kill, not a power cut"),
        ],
        examples: ["picket serve", "picket serve --listen 127.0.0.1:0 --durability normal"]
    ) { invocation throws(Problem) in
        var options = Server.Options()
        if let listen = invocation.value("--listen"), let colon = listen.lastIndex(of: ":"),
            let port = Int(listen[listen.index(after: colon)...])
        {
            options.host = String(listen[..<colon])
            options.port = port
        }
        if let durability = try invocation.oneOf("--durability", Durability.self) { options.durability = durability }
        let signals = Signals([SIGTERM, SIGINT])
        let server = try Server(invocation.directory, options)
        invocation.output.print("Picket serves \(invocation.directory.path) at \(server.url)")
        invocation.output.flush()
        _ = signals.next()
        server.stop()
        return .done
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
    }

    /// Waits for one of them.
    func next() -> Int32 {
        var set = set
        var number: Int32 = 0
        sigwait(&set, &number)
        return number
    }
}
