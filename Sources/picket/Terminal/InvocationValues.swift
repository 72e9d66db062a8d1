import Foundation
import Geodesy
import Model
import ToolSupport

extension Invocation {
    /// Parses a circle written as `LAT,LON,RADIUS`, in degrees and meters.
    static func circle(_ text: String, field: String) throws(Problem) -> Circle {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.trimmingCharacters(in: .whitespaces))
        }
        guard numbers.count == 3, let latitude = numbers[0], let longitude = numbers[1], let radius = numbers[2] else {
            throw .validationFailed(
                field: field, value: text, reason: Phrase("it is not three numbers"),
                expected: Phrase("LAT,LON,RADIUS in degrees and meters, for example 52.5163,13.3777,100"))
        }
        return Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)
    }

    /// The seconds of a length of time, which may also be written without a unit.
    func duration(_ option: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        try value(option).map { text throws(Problem) in
            try TimeSpan.seconds(text, field: option, in: range, acceptsBareSeconds: true)
        }
    }

    /// Parses a policy given by name or as JSON. Nil without the option.
    func policy(_ option: String) throws(Problem) -> PolicyOverride? {
        try value(option).map { text throws(Problem) in try PolicyOverride(text, field: option) }
    }
}

extension Invocation {
    /// Checks that what a command changes is selected in one way: by ids or by one of some options.
    ///
    /// - Parameter missing: The reason to give if nothing is selected.
    /// - Throws: `Problem.usage`.
    func checkSelection(or options: String..., missing: Phrase) throws(Problem) {
        let given = (words.isEmpty ? [] : ["ID"]) + options.filter(has)
        let help = "picket \(command.name) --help"
        if given.count > 1 { throw .usage(reason: .exclude(given[0], given[1]), help: help) }
        if given.isEmpty { throw .usage(reason: missing, help: help) }
    }
}
