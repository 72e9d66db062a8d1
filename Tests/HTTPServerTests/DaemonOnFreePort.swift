@testable import HTTPServer

extension HTTPDaemon {
    /// Starts to serve on a free port of the loopback interface, and returns the port.
    func startOnFreePort() throws -> Int {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        try socket.listen()
        try start(socket, tls: nil)
        return socket.port
    }
}
