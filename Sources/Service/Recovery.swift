import Model

/// What opening a store to write had to make up for after a crash.
public struct Recovery: Hashable, Sendable {
    /// Inputs after the newest that was known to be in all states. They were judged again where a state did not have them.
    public var inputs = 0
    /// How long that took.
    public var seconds = 0.0

    public init() {}

    /// `{"inputs","seconds"}`
    public var json: JSONValue { ["inputs": JSONValue(inputs), "seconds": JSONValue((seconds * 1e6).rounded() / 1e6)] }
}
