import Ingest
import Model
import Settings
import ToolSupport

extension Option {
    /// Options for what position files do not contain.
    static let decoding: [Option] = [
        Option(
            "--device", value: "ID", help: "Device of the positions; default: what the file says, otherwise the file's name"),
        Option("--columns", value: "LIST", help: "Names of CSV columns, for example timestamp=Zeit,latitude=y,longitude=x"),
        Option(
            "--start", value: "TIME",
            help: "For points without times: time of the first point, for example '2026-10-05 08:00' or RFC 3339"),
        Option("--interval", value: "DURATION", help: "For points without times: time between points, for example 5s"),
        Option(
            "--input-timezone", value: "ZONE",
            help: "Time zone of times without an offset from UTC, for example Europe/Berlin; default: the device's, otherwise UTC"
        ),
        Option("--date-order", value: "ORDER", help: "Order of day and month in dates such as 06/01/2026: dmy or mdy")
            .choosing(DateOrder.self),
        Option("--null-island", "Accept latitude 0, longitude 0 as a position"),
    ]
}

extension Invocation {
    /// The values of `Option.decoding`.
    func decodingOptions() throws(Problem) -> DecodingOptions {
        var decoding = DecodingOptions(device: value("--device"))
        decoding.start = try instant("--start")
        decoding.interval = try duration("--interval", in: 0.001...86_400)
        if (decoding.start == nil) != (decoding.interval == nil) {
            throw .usage(reason: .goTogether("--start", "--interval"), help: "picket \(command.name) --help")
        }
        decoding.dateOrder = try oneOf("--date-order", DateOrder.self)
        if let name = value("--input-timezone") {
            decoding.timeZone = .zone(try LocalTimeZone(named: name, field: "--input-timezone"))
        }
        decoding.allowsNullIsland = has("--null-island")
        decoding.columns = try CSVColumns.mapping(of: value("--columns") ?? "")
        if let id = decoding.device, let reason = Identifier.flaw(inDevice: id) {
            throw .validationFailed(field: "--device", value: id, reason: reason, expected: .deviceID)
        }
        return decoding
    }
}
