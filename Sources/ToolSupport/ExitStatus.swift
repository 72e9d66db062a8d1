import Model

/// The exit status of a command.
package enum ExitStatus: Int32 {
    case done = 0
    /// Finished, but something needs attention: for example refused input, an unhealthy phone, or open problems.
    case needsAttention = 1
    case wrongUsage = 2
    /// Failed: the store, a file or the network.
    case failed = 3

    /// The status of a command that a problem ended.
    package init(_ problem: Problem) {
        self =
            switch problem {
            case .usage, .notFound, .conflict, .validationFailed, .preconditionFailed, .cursorGone: .wrongUsage
            default: .failed
            }
    }
}
