import CXlsxWriter
import Core
import Foundation
import Model

/// Writes one table to a file of the format XLSX (Office Open XML), which holds numbers and times as such. It is used by one thread.
@safe package final class Workbook<Row> {
    private let path: String
    private let columns: [TableColumn<Row>]
    private let zone: LocalTimeZone
    private let book: UnsafeMutablePointer<lxw_workbook>
    private let sheet: UnsafeMutablePointer<lxw_worksheet>
    private let timeFormat: UnsafeMutablePointer<lxw_format>?
    private let durationFormat: UnsafeMutablePointer<lxw_format>?
    /// The width of each column, in characters.
    private var widths: [Int]
    private var rows: UInt32 = 1
    private var failure: lxw_error = LXW_NO_ERROR
    private var isClosed = false

    /// The number of rows that a sheet can have, with the headings.
    static var maxRows: Int { 1_048_576 }
    private static var maxWidth: Int { 60 }

    /// Creates a workbook that replaces the file.
    ///
    /// - Parameters:
    ///   - name: The name of the sheet.
    ///   - zone: The zone of the times, which have no offset in a workbook.
    package init(_ name: String, at path: String, _ columns: [TableColumn<Row>], in zone: LocalTimeZone) throws(Problem) {
        self.path = path
        self.columns = columns
        self.zone = zone
        widths = columns.map { $0.name.count + 2 }
        // Rows are written to a temporary file as they are added.
        var options = unsafe lxw_workbook_options()
        unsafe options.constant_memory = 1
        guard let book = unsafe workbook_new_opt(path, &options), let sheet = unsafe workbook_add_worksheet(book, name),
            let bold = unsafe workbook_add_format(book)
        else {
            throw .fileFailed(path: path, reason: .verbatim(unsafe String(cString: lxw_strerror(LXW_ERROR_MEMORY_MALLOC_FAILED))))
        }
        unsafe (self.book, self.sheet) = (book, sheet)
        unsafe format_set_bold(bold)
        unsafe timeFormat = workbook_add_format(book)
        unsafe format_set_num_format(timeFormat, "yyyy-mm-dd hh:mm:ss")
        unsafe durationFormat = workbook_add_format(book)
        unsafe format_set_num_format(durationFormat, "[h]:mm")
        unsafe worksheet_freeze_panes(sheet, 1, 0)
        for (column, name) in columns.map(\.name).enumerated() {
            note(unsafe worksheet_write_string(sheet, 0, UInt16(column), name, bold))
        }
    }

    deinit {
        if !isClosed { unsafe lxw_workbook_free(book) }
    }

    /// Adds a row. A failure is thrown by `close()`.
    package func add(_ row: Row) {
        if rows == UInt32(Self.maxRows) { note(LXW_ERROR_WORKSHEET_INDEX_OUT_OF_RANGE) }
        guard failure == LXW_NO_ERROR else { return }
        for (column, description) in columns.enumerated() {
            let width = write(description.cell(row), to: UInt16(column))
            widths[column] = min(Self.maxWidth, max(widths[column], width + 2))
        }
        rows += 1
    }

    /// - Returns: The number of characters of the cell.
    private func write(_ cell: TableCell, to column: UInt16) -> Int {
        switch cell {
        case .empty: return 0
        case .words(let text), .plain(let text):
            // Text in a cell is never a formula.
            note(unsafe worksheet_write_string(sheet, rows, column, text, nil))
            return text.count
        case .number(let number):
            note(unsafe worksheet_write_number(sheet, rows, column, number, nil))
            return JSONValue(number).description.count
        case .flag(let flag):
            note(unsafe worksheet_write_boolean(sheet, rows, column, flag ? 1 : 0, nil))
            return 5
        case .time(let time):
            // Days since 1899-12-30, in local time. Spreadsheets have no times before 1900.
            let days = Double(zone.local(time).milliseconds) / 86_400_000 + 25_569
            if days < 61 { return write(.plain(Format.timestamp(time, in: zone)), to: column) }
            note(unsafe worksheet_write_number(sheet, rows, column, days, timeFormat))
            return 19
        case .duration(let seconds):
            note(unsafe worksheet_write_number(sheet, rows, column, seconds / 86_400, durationFormat))
            return 8
        }
    }

    private func note(_ result: lxw_error) {
        if failure == LXW_NO_ERROR { failure = result }
    }

    /// Writes the file.
    ///
    /// - Throws: `Problem.fileFailed` if the file cannot be written, or if there are too many rows.
    package func close() throws(Problem) {
        for (column, width) in widths.enumerated() {
            note(unsafe worksheet_set_column(sheet, UInt16(column), UInt16(column), Double(width), nil))
        }
        isClosed = true
        note(unsafe workbook_close(book))
        if failure == LXW_NO_ERROR { return }
        let reason =
            failure == LXW_ERROR_WORKSHEET_INDEX_OUT_OF_RANGE
            ? Phrase("a sheet can have \(Self.maxRows) rows at most") : .verbatim(unsafe String(cString: lxw_strerror(failure)))
        throw .fileFailed(path: path, reason: reason)
    }
}

extension Workbook {
    /// The bytes of a workbook with some rows, which is written to an unnamed temporary file first.
    ///
    /// - Parameter name: The name of the sheet.
    package static func bytes(
        named name: String, _ columns: [TableColumn<Row>], _ rows: [Row], in zone: LocalTimeZone
    ) throws(Problem) -> [UInt8] {
        func failure() -> Problem {
            .fileFailed(path: NSTemporaryDirectory(), reason: .verbatim(unsafe String(cString: strerror(errno))))
        }
        guard let file = unsafe tmpfile() else { throw failure() }
        defer { unsafe fclose(file) }
        let path = unsafe "/dev/fd/\(fileno(file))"
        let book = try Workbook(name, at: path, columns, in: zone)
        for row in rows { book.add(row) }
        try book.close()
        do {
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .fileFailed(path: path, reason: .verbatim(error.localizedDescription))
        }
    }
}

/// The version of the linked libxlsxwriter.
package var workbookLibraryVersion: String { unsafe String(cString: lxw_version()) }
