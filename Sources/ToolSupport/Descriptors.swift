import Foundation
import Model

/// The limit on the number of files and sockets that this process may have open.
package enum Descriptors {
    /// Raises the soft limit to the hard limit. Child processes inherit it.
    package static func raise() throws(Problem) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw .unknown(
                details: .saying(Phrase("the limit of open files cannot be changed"), String(cString: strerror(errno))))
        }
    }
}
