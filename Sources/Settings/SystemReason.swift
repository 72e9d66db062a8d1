import Foundation
import Model

extension Error {
    /// The POSIX error number of a failed file operation, for example `ENOENT`; nil if it is unknown.
    package var systemNumber: Int32? {
        let error = self as NSError
        // On Linux the underlying error is a Swift error, which is not bridged to `NSError` automatically.
        let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? error
        return cause.domain == NSPOSIXErrorDomain ? Int32(cause.code) : nil
    }

    /// Why a file operation failed, in the operating system's words.
    package var systemReason: Phrase { .verbatim(systemText) }

    private var systemText: String {
        let error = self as NSError
        if let number = systemNumber { return String(cString: strerror(number)) }
        switch CocoaError.Code(rawValue: error.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: return String(cString: strerror(ENOENT))
        case .fileReadNoPermission, .fileWriteNoPermission: return String(cString: strerror(EACCES))
        case .fileWriteOutOfSpace: return String(cString: strerror(ENOSPC))
        case .fileWriteVolumeReadOnly: return String(cString: strerror(EROFS))
        default: return error.localizedDescription
        }
    }
}
