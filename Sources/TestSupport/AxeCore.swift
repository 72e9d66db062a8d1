import Foundation
import Model

/// axe-core (https://github.com/dequelabs/axe-core), which checks pages for accessibility. It is not part of the project; `tools/test`
/// downloads it into the build folder.
package enum AxeCore {
    private static let file = SharedData.checkout.appending(path: ".build/axe/axe.min.js")

    /// Whether the file of axe-core exists.
    package static var isInstalled: Bool { FileManager.default.fileExists(atPath: file.path) }

    static func script() throws -> String { try String(contentsOf: file, encoding: .utf8) }
}

extension Browser {
    /// The violations of axe-core's rules in the page, one line for each element.
    package func accessibilityViolations() throws -> [String] {
        if try evaluate("return typeof axe").string == "undefined" {
            try evaluate(AxeCore.script())
        }
        // Preloading is switched off, because it requests style sheets once more.
        let violations = try evaluate("return (await axe.run({ resultTypes: ['violations'], preload: false })).violations")
        return (violations.array ?? []).flatMap { rule in
            (rule["nodes"]?.array ?? []).map { node in
                let element = (node["target"]?.array ?? []).map { $0.string ?? "\($0)" }.joined(separator: " ")
                let reasons = (node["failureSummary"]?.string ?? "").split(separator: "\n").dropFirst()
                    .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
                let name = "\(rule["id"]?.string ?? "") (\(rule["impact"]?.string ?? ""))"
                return "\(name): \(rule["help"]?.string ?? ""): \(element): \(reasons)"
            }
        }
    }
}
