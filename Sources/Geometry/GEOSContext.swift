import CGEOS

/// What GEOS keeps between calls. It belongs to one thread at a time, and so does every geometry made with it; making one for
/// each question would cost 75 times the question.
@safe public final class GEOSContext {
    let handle: GEOSContextHandle_t
    /// Where GEOS leaves the text of its last error.
    private let lastError: UnsafeMutablePointer<String>

    public init() {
        unsafe lastError = .allocate(capacity: 1)
        unsafe lastError.initialize(to: "")
        // GEOS_init_r returns null only when memory is exhausted, which Swift does not survive either.
        unsafe handle = GEOS_init_r()
        _ = unsafe GEOSContext_setErrorMessageHandler_r(
            handle,
            { message, box in
                guard let message = unsafe message, let box = unsafe box else { return }
                unsafe box.assumingMemoryBound(to: String.self).pointee = String(cString: message)
            }, lastError)
    }

    deinit {
        unsafe GEOS_finish_r(handle)
        unsafe lastError.deinitialize(count: 1)
        unsafe lastError.deallocate()
    }

    /// The failure that GEOS has just reported.
    func failure(in operation: String) -> GEOSFailure {
        GEOSFailure(operation: operation, message: unsafe lastError.pointee)
    }
}

/// GEOS could not do what it was asked.
public struct GEOSFailure: Error, Hashable, Sendable {
    public var operation: String
    /// What GEOS says of it.
    public var message: String
}

extension GEOSContext {
    /// The version of GEOS as it is linked.
    public static var libraryVersion: String { unsafe String(cString: GEOSversion()) }
}
