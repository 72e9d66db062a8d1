import Foundation

extension Error {
    /// The system's number for why a file operation failed, as `ENOENT`; nil when it is not known.
    package var systemNumber: Int32? {
        let error = self as NSError
        // On Linux what lies beneath is a Swift error, and is not cast by itself.
        let cause = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? error
        return cause.domain == NSPOSIXErrorDomain ? Int32(cause.code) : nil
    }

    /// The system's own words for why a file operation failed.
    package var systemReason: String {
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
