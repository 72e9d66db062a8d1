import CGEOS

/// A GEOS context handle. It belongs to one thread at a time, and so does every geometry made with it. Creating a context for each
/// predicate would take 75 times as long as the predicate.
@safe package final class GEOSContext {
    let handle: GEOSContextHandle_t
    /// Receives the text of GEOS's last error.
    private let lastError: UnsafeMutablePointer<String>

    package init() {
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

    /// The error that GEOS has just reported.
    func failure(in operation: String) -> GEOSFailure {
        GEOSFailure(operation: operation, message: unsafe lastError.pointee)
    }
}

extension GEOSContext {
    /// The version of the linked GEOS library.
    package static var libraryVersion: String { unsafe String(cString: GEOSversion()) }
}
