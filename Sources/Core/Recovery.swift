import Model

/// The work after a crash that was necessary when a store was opened for writing.
package struct Recovery: Hashable, Sendable {
    /// The number of inputs after the last one that is known to be in all stored states. They were applied again where a state lacked them.
    package var inputs = 0
    /// The duration in seconds.
    package var seconds = 0.0

    package init() {}

    /// `{"inputs","seconds"}`
    package var json: JSONValue { ["inputs": JSONValue(inputs), "seconds": JSONValue((seconds * 1e6).rounded() / 1e6)] }
}
