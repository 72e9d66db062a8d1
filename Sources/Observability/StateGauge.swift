import Synchronization

/// The current case of an enumeration; nil if there is no current state. Can be used from any thread.
package final class StateGauge<State: CaseIterable & Equatable & Sendable & RawRepresentable<String>>: Sendable {
    private let current = Mutex<State?>(nil)

    package init() {}

    package func set(_ state: State?) { current.withLock { $0 = state } }

    package var value: State? { current.withLock { $0 } }
}
