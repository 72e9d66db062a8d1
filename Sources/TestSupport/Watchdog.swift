/// The timeout of everything that tests wait for, so that a test fails instead of blocking when it does not happen.
///
/// No test depends on this time. It is much longer than anything takes on a busy machine.
package enum Watchdog {
    package static let seconds = 500.0
}
