import Foundation

/// A permit to run a browser, which a test holds. There are two permits, because a browser keeps a processor busy and other tests run at
/// the same time.
final class BrowserPlace: Sendable {
    private static let free = DispatchSemaphore(value: Browser.maximumCount)

    /// Waits until a permit is free.
    init() { Self.free.wait() }

    deinit { Self.free.signal() }
}
