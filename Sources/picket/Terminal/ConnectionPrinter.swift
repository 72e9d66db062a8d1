import Client
import Core
import Delivery
import Foundation
import Model
import ToolSupport

/// Prints on standard error when the connection to a service is lost and when it works again, once per change.
struct ConnectionPrinter {
    /// The activity that pauses while the service does not answer.
    enum Purpose {
        case liveUpdates, sending
    }

    private let output: Output
    private let language: Language
    private let isJSON: Bool
    private let peer: String
    private let purpose: Purpose

    init(_ invocation: Invocation, peer: String, _ purpose: Purpose) {
        output = Output(descriptor: invocation.errorDescriptor, environment: invocation.environment)
        language = invocation.language
        isJSON = invocation.isJSON
        self.peer = peer
        self.purpose = purpose
    }

    func printChange(_ news: Reconnector.ConnectionChange) {
        switch news {
        case .storedBefore(let count): show(.storedBefore(count), json: ["storedBefore": JSONValue(count)])
        case .changed(let status, let hasAnswered):
            let isLost = status.state.name == .reconnecting
            show(
                notice(status, hasAnswered: hasAnswered), details: isLost ? status.problem?.details(in: language) : nil,
                json: ["connection": status.json(in: AnswerLocale(language))])
        }
        output.flush()
    }

    private func show(_ notice: ConnectionNotice, details: String? = nil, json: JSONValue) {
        if isJSON { return output.print(json.description) }
        // Clears the line first, because a progress bar may be visible there.
        let start = output.isTerminal ? "\r\u{1B}[K" : ""
        output.print(start + Format.printable(notice.message.text(in: language), atMost: 2000))
        if let details { output.print(Color.dim("  \(Format.printable(details, atMost: 2000))", on: output)) }
    }

    private func notice(_ status: ConnectionStatus, hasAnswered: Bool) -> ConnectionNotice {
        switch status.state {
        case .connected, .paused: return hasAnswered ? .restored : .reached(peer: peer)
        case .degraded: return purpose == .liveUpdates ? .liveUpdatesPaused : .sendingPaused
        case .reconnecting:
            switch status.problem {
            case .noConnection?, .timeout?, .tlsFailed?, nil: return hasAnswered ? .lost : .notReached(peer: peer)
            case let problem?: return .refusedForNow(problem)
            }
        }
    }
}

extension Invocation {
    /// A reconnector that repeats requests to a service, and reports changes of the connection on standard error.
    func reconnector(
        _ persistence: Reconnector.Persistence, to service: ServiceClient, _ purpose: ConnectionPrinter.Purpose
    ) -> Reconnector {
        let printer = ConnectionPrinter(self, peer: service.connection.location, purpose)
        return Reconnector(persistence, clock: clock, report: printer.printChange)
    }
}
