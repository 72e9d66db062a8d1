import Foundation
import Model

/// How many files and connections the process may have open at the same time (`RLIMIT_NOFILE` of getrlimit(2)).
struct DescriptorLimit {
    let count: Int

    /// The smallest number with which the service starts: it leaves some connections.
    private static let minimum = 64
    /// The descriptors of the store, the log, the listening socket and the threads.
    private static let ownDescriptors = 48

    init(count: Int) { self.count = count }

    /// The limit of this process.
    static var current: DescriptorLimit {
        var limit = rlimit()
        let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return DescriptorLimit(count: isKnown ? Int(clamping: limit.rlim_cur) : .max)
    }

    /// Checks that the service can start.
    ///
    /// - Throws: `Problem.validationFailed` if the limit is too small.
    func check() throws(Problem) {
        guard count < Self.minimum else { return }
        throw .validationFailed(field: "ulimit -n", value: String(count), reason: .outOfRange, expected: .atLeast(Self.minimum))
    }

    /// The number of descriptors for connections. The others are for the service itself and its sinks: without them it could not answer.
    var forConnections: Int { count - Self.ownDescriptors - count / 8 }
}
