import Model

/// The client for whom `Readers` perform a query.
package struct QueryClient: Sendable {
    /// The devices that exist for the client; nil for all.
    let scope: DeviceScope?
    /// Queries of clients with different names take turns.
    let name: String
    /// Whether the client has disconnected, so that its query is not needed anymore. It is called often, on the thread that performs the
    /// query, and also before.
    package let hasLeft: @Sendable () -> Bool

    package init(scope: DeviceScope?, name: String, hasLeft: @escaping @Sendable () -> Bool = { false }) {
        self.scope = scope
        self.name = name
        self.hasLeft = hasLeft
    }

    /// The service itself.
    static let service = QueryClient(scope: nil, name: "")
}
