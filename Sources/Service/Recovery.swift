import Model

/// The work after a crash that was necessary when a store was opened for writing.
public struct Recovery: Hashable, Sendable {
    /// The number of inputs after the last one that is known to be in all stored states. They were applied again where a state lacked them.
    public var inputs = 0
    /// The duration in seconds.
    public var seconds = 0.0

    public init() {}

    /// `{"inputs","seconds"}`
    public var json: JSONValue { ["inputs": JSONValue(inputs), "seconds": JSONValue((seconds * 1e6).rounded() / 1e6)] }
}
