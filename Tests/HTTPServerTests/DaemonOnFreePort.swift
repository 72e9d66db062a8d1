@testable import HTTPServer

extension HTTPDaemon {
    /// Starts to serve on a free port of the loopback interface, and returns the socket. The test closes it after the server has stopped.
    func startOnFreePort() throws -> ListeningSocket {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        try socket.listen()
        try start(socket, tls: nil)
        return socket
    }
}
