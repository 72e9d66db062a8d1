import Foundation

/// Leave to run a browser, held by one test at a time. There are two: a browser keeps a processor busy, and the other tests run beside it.
final class BrowserPlace: Sendable {
    private static let free = DispatchSemaphore(value: Browser.most)

    /// Waits until one of the two is free.
    init() { Self.free.wait() }

    deinit { Self.free.signal() }
}
