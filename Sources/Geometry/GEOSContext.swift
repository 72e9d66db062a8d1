import CGEOS

/// Owns a context handle of the C library GEOS. Only one thread at a time may use a context and the geometries made with it.
///
/// Contexts are reused, because creating one takes 75 times as long as evaluating a predicate.
@safe package final class GEOSContext {
    let handle: GEOSContextHandle_t
    /// The message of the last error in this context. GEOS's error handler writes it.
    private let lastError: UnsafeMutablePointer<String>
    /// How many outlines were checked or repaired, which takes long for some. Tests use it to find the thread that does this.
    package internal(set) var outlineChecks = 0

    package init() {
        unsafe lastError = .allocate(capacity: 1)
        unsafe lastError.initialize(to: "")
        // GEOS_init_r returns null only when memory is exhausted. A Swift program ends then anyway, so null is not handled.
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

    /// The last error that GEOS reported, as an error to throw.
    var failure: GEOSFailure { GEOSFailure(message: unsafe lastError.pointee) }
}

extension GEOSContext {
    /// The version of the linked GEOS library.
    package static var libraryVersion: String { unsafe String(cString: GEOSversion()) }
}
