import Foundation

/// Sends requests to a service on this machine, each over its own connection.
package struct SocketClient: TestClient, Sendable {
    private let port: Int

    package init(port: Int) { self.port = port }

    package func answer(_ request: TestRequest) async throws -> TestAnswer {
        try await BlockingCall.run { [port] in
            guard let answer = try RawConnection(port: port).ask(request) else { throw RawConnection.Failure.closed }
            return answer
        }
    }
}
