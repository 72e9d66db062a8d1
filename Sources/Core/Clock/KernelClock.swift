import CClock

/// The clock of the kernel.
package enum KernelClock {
    /// Whether the clock is synchronized with a time server; nil if the system does not report it (adjtimex(2)).
    package static func isSynchronized() -> Bool? {
        var state = timex()
        // With `modes` 0 the call changes nothing.
        let result = adjtimex(&state)
        return result < 0 ? nil : result != TIME_ERROR && state.status & STA_UNSYNC == 0
    }
}
