import CPageChecksums
import CSQLite

/// What a check of all pages of a database has found.
package struct PageCheck: Sendable {
    /// A page whose checksum is not that of its content.
    package struct WrongPage: Sendable, CustomStringConvertible {
        /// The number of the page, counted from 1.
        package var number: Int
        /// The table or index that the page belongs to; nil if that is not known.
        package var owner: String?

        /// For example "page 12 (fix)".
        package var name: String { "page \(number)\(owner.map { " (\($0))" } ?? "")" }
        /// For example "page 12 (fix): checksum mismatch".
        package var description: String { "\(name): checksum mismatch" }
    }

    /// What SQLite finds wrong with the structure of the database, in its own words: at most as many answers as were asked for.
    package fileprivate(set) var structure: [String] = []
    /// The pages with a wrong checksum, in order.
    package fileprivate(set) var wrongPages: [WrongPage] = []
    /// The number of pages in use that have no checksum. Damage to them is found only if it concerns the structure.
    package fileprivate(set) var pagesWithoutChecksum = 0

    /// The first damage; nil if there is none.
    package var firstDamage: String? { wrongPages.first?.description ?? structure.first }
}

extension Connection {
    /// The parts of a structure that SQLite can check.
    package enum StructureCheck: String, Sendable {
        /// Everything except whether indexes agree with their tables.
        case quick = "quick_check"
        case whole = "integrity_check"
    }

    /// Reads each page in use and checks its checksum and the structure of the database. A page in the log has no checksum yet: when the
    /// database is opened after a crash, SQLite itself checks the log.
    ///
    /// - Parameter limit: The maximum number of answers about the structure.
    /// - Throws: `SQLiteError` if the check fails for another reason than damage, for example if the system fails to read the file.
    /// - Complexity: O(n log n) for a file of n bytes. Memory: a byte for each page.
    package func checkPages(_ kind: StructureCheck, atMost limit: Int) throws(SQLiteError) -> PageCheck {
        var check = PageCheck()
        let count = try value(of: "PRAGMA page_count", as: Int.self) ?? 0
        let marks = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, count))
        unsafe marks.initialize(repeating: UInt8(picket_page_unread.rawValue))
        defer { unsafe marks.deallocate() }
        // Pages that are cached would not be read. Only the first page stays cached during a transaction.
        releaseCache()
        unsafe picket_record_pages(handle, marks.baseAddress, UInt32(count))
        defer {
            unsafe picket_record_pages(handle, nil, 0)
            // Later reads must find pages with wrong checksums, too.
            releaseCache()
        }
        do throws(SQLiteError) {
            let answers = try uncachedStatement("PRAGMA \(kind.rawValue)(\(limit))")
            while let answer = try answers.next(String.self) {
                if answer == "ok" { continue }
                if let failure = readFailure { throw failure }
                check.structure.append(answer)
            }
        } catch {
            guard error.isCorrupt else { throw error }
            check.structure.append(error.message)
        }
        for index in marks.indices {
            switch unsafe UInt32(marks[index]) {
            case picket_page_wrong.rawValue: check.wrongPages.append(PageCheck.WrongPage(number: index + 1))
            case picket_page_unprotected.rawValue: check.pagesWithoutChecksum += 1
            default: break
            }
        }
        if !check.wrongPages.isEmpty { nameOwners(of: &check.wrongPages) }
        return check
    }

    /// Removes all pages from this connection's cache, outside of a transaction.
    func releaseCache() { _ = unsafe sqlite3_db_release_memory(handle) }

    /// Finds the tables and indexes of pages. They stay nil if the linked SQLite cannot determine this
    /// (https://www.sqlite.org/dbstat.html), or if the damage prevents it.
    private func nameOwners(of pages: inout [PageCheck.WrongPage]) {
        let places = Dictionary(pages.indices.map { (pages[$0].number, $0) }, uniquingKeysWith: { first, _ in first })
        do throws(SQLiteError) {
            let owners = try uncachedStatement("SELECT pageno, name FROM dbstat")
            while let (number, owner) = try owners.next(Int.self, String.self) {
                if let place = places[number] { pages[place].owner = owner }
            }
        } catch {
            // The numbers of the pages say enough.
        }
    }
}

// MARK: - Checksums of single pages

extension Connection {
    /// Registers the checksums with SQLite, once for the process.
    static let checksumRegistration: Int32 = picket_register_checksums()

    /// Makes SQLite leave room for a checksum in each page of a new database, and of one without checksums when `rewriteFile()` is called.
    func reserveChecksums() {
        var bytes = Int32(picket_checksum_size)
        _ = unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes)
    }

    /// Whether the pages of the database file have checksums. Those of a file that another program has made have none until
    /// `rewriteFile()` is called.
    package var keepsChecksums: Bool { unsafe picket_keeps_checksums(handle) != 0 }

    /// Declares that the pages that will be copied from a database into this new one have checksums.
    func expectChecksums(like source: Connection) { unsafe picket_expect_checksums(handle, source.handle) }

    /// Whether the database file may have remains of removed data. It has none if all of its pages were written by this version,
    /// with checksums and with `secure_delete`. The write-ahead log is not examined.
    ///
    /// - Complexity: Reads the whole file.
    package func mayHaveRemains() throws(SQLiteError) -> Bool {
        let answer = unsafe picket_has_remains(handle)
        guard answer >= 0 else { throw SQLiteError(code: SQLITE_IOERR, message: "the file cannot be read") }
        return answer != 0
    }

    /// The error of a read that has failed because the checksum of the page is wrong.
    func checksumFailure(_ sql: String?) -> SQLiteError {
        SQLiteError(
            code: SQLiteError.wrongChecksum,
            message: PageCheck.WrongPage(number: Int(unsafe picket_wrong_page(handle))).description, sql: sql)
    }
}
