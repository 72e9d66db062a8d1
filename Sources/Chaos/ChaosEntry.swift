import Model
import Reconciler

/// One entry of the diary of a life: what happened, and the health after it.
package struct ChaosEntry: Sendable {
    package enum Content: Hashable, Sendable {
        case event(ChaosEvent)
        case repair(calls: Int)
        /// The app was killed during a repair.
        case killedRepair(calls: Int)
    }

    package var at: Instant
    package var content: Content
    package var health: HealthSummary
    package var isHealthy: Bool

    /// What happened, in words.
    package var words: String {
        switch content {
        case .event(let event): event.words
        case .repair(let calls): "repair: \(calls) \(calls == 1 ? "call" : "calls")"
        case .killedRepair(let calls): "repair, killed after \(calls) \(calls == 1 ? "call" : "calls")"
        }
    }

    private var name: String {
        switch content {
        case .event(let event): event.name
        case .repair: "repair"
        case .killedRepair: "killedRepair"
        }
    }

    private var calls: Int? {
        switch content {
        case .event: nil
        case .repair(let calls), .killedRepair(let calls): calls
        }
    }
}

extension ChaosEntry: JSONWritable {
    package static let output = JSONOutput<ChaosEntry>(
        "ChaosEntry", summary: "What happened to a simulated phone, and its health after it",
        .init("at", kind: .time, summary: "When", content: \.at),
        .init("event", kind: .text, summary: "What, in a word", content: \.name),
        .init("summary", kind: .text, summary: "What, in words", content: \.words),
        .init("calls", optional: .whole, summary: "The calls of a repair", content: \.calls),
        .init("health", kind: .text, summary: "The health, in words", content: { $0.health.sentence() }),
        .init("isHealthy", kind: .flag, summary: "Whether the phone is healthy", content: \.isHealthy))
}
