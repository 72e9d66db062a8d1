import Model

/// Reads an app's log: one JSON object on each line (NDJSON). A line that cannot be used is refused, and the others still count.
package enum AppLogDecoder {
    /// The largest size of a line in bytes.
    package static let longestLine = 64 << 20
    /// The number of refusals after which a file is considered to be something else.
    package static let mostRefusals = 10_000

    package struct Result: Sendable {
        /// In the order of the log.
        package var observations: [AppObservation] = []
        /// For each observation, its line or its position in a list, from 1.
        package var lines: [Int] = []
        package var refusals = BoundedList<Refusal>()

        package var log: AppLog { AppLog(observations) }
    }

    /// - Parameter file: The name of the file, for refusals.
    /// - Throws: `Problem.decodingFailed` if there are more than `mostRefusals` refusals: the file is something else.
    package static func decode(_ bytes: [UInt8], file: String?) throws(Problem) -> Result {
        var result = Result()
        var line = 0
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
            line += 1
            try decodeLine(bytes[start..<end], number: line, file: file, into: &result)
            start = end + 1
        }
        return result
    }

    /// Reads the elements of a list, as a service receives them.
    package static func decode(_ list: [JSONValue]) -> Result {
        var result = Result()
        for (index, json) in list.enumerated() {
            do throws(Problem) {
                result.observations.append(try AppObservation(json: json))
                result.lines.append(index + 1)
            } catch {
                result.refusals.append(refusal(of: error, line: index + 1, file: nil))
            }
        }
        return result
    }

    private static func decodeLine(
        _ bytes: ArraySlice<UInt8>, number: Int, file: String?, into result: inout Result
    ) throws(Problem) {
        // A byte order mark may be at the start.
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
        if isBlank { return }
        let refused: Problem
        if bytes.count > longestLine {
            refused = .validationFailed(field: "line", value: "", reason: .longerThan(longestLine), expected: .object)
        } else {
            let parsed: Swift.Result<JSONValue, JSONParser.Failure> = bytes.withUnsafeBufferPointer { buffer in
                Swift.Result { () throws(JSONParser.Failure) in try JSONParser.parse(buffer) }
            }
            switch parsed {
            case .failure(let failure):
                let value = String(decoding: bytes.prefix(60), as: UTF8.self)
                refused = .validationFailed(field: "line", value: value, reason: .notJSON(failure.reason), expected: .object)
            case .success(let json):
                do throws(Problem) {
                    result.observations.append(try AppObservation(json: json))
                    result.lines.append(number)
                    return
                } catch {
                    refused = error
                }
            }
        }
        guard result.refusals.total < mostRefusals else {
            throw .decodingFailed(source: .verbatim(file ?? ""), line: number, reason: .moreThan(mostRefusals))
        }
        result.refusals.append(refusal(of: refused, line: number, file: file))
    }

    private static func refusal(of problem: Problem, line: Int, file: String?) -> Refusal {
        guard case .validationFailed(let field, let value, let reason, let expected) = problem else {
            return Refusal(file: file, line: line, field: "line", value: "", reason: problem.message)
        }
        return Refusal(
            reason == .missing ? .missing : .unreadable, file: file, line: line, field: field, value: value,
            reason: .expecting(reason, expected))
    }
}
