import Foundation
import Model

/// Sends requests to a service, over a connection or without one, and returns the answers.
package protocol TestClient {
    func answer(_ request: TestRequest) async throws -> TestAnswer
}

extension TestClient {
    @discardableResult
    package func ask(
        _ method: String, _ target: String, body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) async throws -> TestAnswer {
        try await answer(TestRequest(method, target, body: body, type: type, headers: headers))
    }

    /// The JSON answer to a GET request.
    package func json(_ target: String, headers: [String: String] = [:]) async throws -> JSONValue {
        try await ask("GET", target, headers: headers).json()
    }
}
