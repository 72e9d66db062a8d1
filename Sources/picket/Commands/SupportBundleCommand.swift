import Client
import Core
import Foundation
import Model
import Operations
import Server
import ToolSupport

/// `picket problems report`: collects the information that support needs.
enum SupportBundleCommand {
    static let command = Command(
        name: "problems report", summary: "Print the support bundle: versions, settings, problems and the end of the log.",
        options: [OutputFile.option] + Option.client,
        discussion: """
            The bundle contains no passwords, tokens, keys or positions. Its first lines say what it contains; read it before you send
            it. The states of connections and the end of the log come from a running service, and are missing without one. The setting
            support-contact says where to send it.
            """,
        examples: ["picket problems report", "picket problems report --output report.txt", "picket problems report --json"]
    ) { invocation throws(Problem) in
        let report = try document(invocation)
        let text = invocation.isJSON ? report.description + "\n" : ReportText(report, in: invocation.language).text
        if let path = invocation.value(OutputFile.option.name) {
            try OutputFile.write(text, to: path)
            if !invocation.isJSON {
                invocation.print(Phrase("\(path): \(Format.size(text.utf8.count)). \(sendingAdvice(report))"))
            }
        } else {
            invocation.output.write(text)
        }
        return .done
    }

    /// The advice to send the report to the support contact, if one is set.
    private static func sendingAdvice(_ report: JSONValue) -> Phrase {
        report["contact"]?.string.map { Phrase("Read it, then send it to \($0).") }
            ?? Phrase("Read it before you send it. No support-contact is set.")
    }

    /// The report of the running service; without one, a report of what this process can read.
    private static func document(_ invocation: Invocation) throws(Problem) -> JSONValue {
        var unreachable: Problem?
        do throws(Problem) {
            if let service = try invocation.runningService() { return try service.connection.send("GET", ["report"]).json }
        } catch {
            unreachable = error
        }
        let now = SystemClock().now()
        var report = SupportBundle(version: Picket.version, versions: Server.libraryVersions, at: now)
        do throws(Problem) {
            report.add(try invocation.settings())
        } catch {
            report.add(settingsProblem: error)
            // Unusable settings are the reason why no service was found, and are in the report already.
            if unreachable == error { unreachable = nil }
        }
        let store = Result<Queries, Problem> { () throws(Problem) in try ServiceReader(invocation.directory) }
        report.add(invocation.directory, store)
        do throws(Problem) {
            let service = try store.get()
            try service.addProblems(to: &report)
            try service.addSinks(to: &report, nil)
        } catch {
            // The section about the store has this error already.
        }
        report.addNoService(unreachable)
        return report.json(in: invocation.language)
    }
}

/// Formats a report as text for people.
private struct ReportText {
    private(set) var text = ""
    private let language: Language

    init(_ report: JSONValue, in language: Language) {
        self.language = language
        add(Phrase("Picket report of \(report["madeAt"]?.string ?? "")"))
        add(report["contents"]?.string ?? "")
        add(report["contact"]?.string.map { Phrase("Send it to \($0).") } ?? Phrase("No support-contact is set."))
        addSection(Phrase("Versions"), report["versions"])
        if let problem = report["settingsProblem"] { addSection(Phrase("Settings (invalid)"), problem) }
        if let settings = report["settings"]?.array {
            add("")
            add(Phrase("Settings"))
            for setting in settings where setting["value"]?.string != nil {
                add("  \(plainText(setting["name"]).padding(22)) \(plainText(setting["value"]))  (\(plainText(setting["from"])))")
            }
        }
        addSection(Phrase("Store"), report["store"])
        addSection(Phrase("Service"), report["service"])
        addSection(Phrase("MQTT broker"), report["mqtt"])
        addList(Phrase("Sinks"), report["sinks"])
        addList(Phrase("Problems"), report["problems"])
        let lines = report["log"]?["lines"]?.array ?? []
        add("")
        add(
            lines.isEmpty
                ? Phrase("Log (none)")
                : Phrase(lines.count, one: "Log (\(lines.count) line)", other: "Log (\(lines.count) lines)"))
        for line in lines { add("  \(plainText(line))") }
        if let note = report["log"]?["note"]?.string { add("  \(note)") }
    }

    private mutating func add(_ line: String) { text += line + "\n" }
    private mutating func add(_ line: Phrase) { add(line.text(in: language)) }

    /// Adds an object with one line per member. Members of nested objects are named `outer.inner`.
    private mutating func addSection(_ title: Phrase, _ object: JSONValue?) {
        guard let members = object?.members else { return }
        add("")
        add(title)
        for (name, value) in Self.flat(members) { add("  \(name.padding(22)) \(plainText(value))") }
    }

    /// Adds a list of objects, one line each.
    private mutating func addList(_ title: Phrase, _ list: JSONValue?) {
        guard let elements = list?.array else { return }
        add("")
        add(elements.isEmpty ? Phrase("\(title) (none)") : Phrase("\(title) (\(elements.count))"))
        for element in elements {
            add("  " + Self.flat(element.members ?? []).map { "\($0.name)=\(plainText($0.value))" }.joined(separator: "  "))
        }
    }

    private static func flat(_ members: [JSONValue.Member], _ prefix: String = "") -> [(name: String, value: JSONValue)] {
        members.flatMap { member in
            member.value.members.map { flat($0, "\(prefix)\(member.name).") } ?? [("\(prefix)\(member.name)", member.value)]
        }
    }

    /// A value as one printable line.
    private func plainText(_ value: JSONValue?) -> String {
        guard let value else { return Table.noValue }
        return Format.printable(value.string ?? value.description, atMost: 2000)
    }
}
