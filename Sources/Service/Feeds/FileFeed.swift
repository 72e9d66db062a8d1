import Core
import Foundation
import Ingest
import Model
import Presence
import Settings

/// Reads positions from files and passes them to the store or the running service.
package struct FileFeed {
    package struct Options: Sendable {
        package var decoding: DecodingOptions
        /// The decision policy that the input's devices get; nil to keep their policies.
        var policy: PolicyOverride?

        package init(decoding: DecodingOptions = DecodingOptions(), policy: PolicyOverride? = nil) {
            self.decoding = decoding
            self.policy = policy
        }
    }

    /// The callbacks of a feed. They are called only for data that is on disk.
    package struct Observer {
        var event: (Event) -> Void
        var refusal: (Refusal) -> Void
        /// Receives what a person should know about a file, although nothing was refused.
        var remark: (_ path: String, Phrase) -> Void
        /// A file, or the rest of a file, could not be read.
        var problem: (Problem) -> Void
        /// Receives the bytes read, and the total number of bytes if it is known.
        var progress: (_ read: Int, _ of: Int?) -> Void

        package init(
            event: @escaping (Event) -> Void, refusal: @escaping (Refusal) -> Void,
            remark: @escaping (String, Phrase) -> Void = { _, _ in }, problem: @escaping (Problem) -> Void,
            progress: @escaping (Int, Int?) -> Void
        ) {
            self.event = event
            self.refusal = refusal
            self.remark = remark
            self.problem = problem
            self.progress = progress
        }
    }

    /// A device that files name, because their positions name none.
    package struct NamedDevice: Hashable, Sendable {
        package var id: String
        /// The number of files with positions of the device.
        package var files: Int
        package var firstFile: String
    }

    /// The result of a feed.
    package struct Summary: Sendable {
        package var counts = IntakeCounts()
        /// The results of replays of late fixes. All zero if a running service makes the replays itself.
        package var replays = ReplayCounts()
        package var files = 0
        package var seconds = 0.0
        /// The times that had no offset from UTC.
        package var timesWithoutZone = TimesWithoutZone()
        /// The problem that stopped the feed early, such as a full disk. Everything that was counted is on disk.
        package var failure: Problem?
        /// The devices that files name, in the order of the files.
        package private(set) var namedDevices: [NamedDevice] = []
        private var placesOfNamedDevices: [String: Int] = [:]
        /// The devices whose id two senders seem to use, and what was found in the file where it happened most often.
        fileprivate(set) var sharedIDs: [String: SharedIDDetector.Detection] = [:]
        var isPhoneProblemTold = false
        package init() {}

        fileprivate mutating func add(device: String, of file: String) {
            if let place = placesOfNamedDevices[device] {
                namedDevices[place].files += 1
            } else {
                placesOfNamedDevices[device] = namedDevices.count
                namedDevices.append(NamedDevice(id: device, files: 1, firstFile: file))
            }
        }

        /// The problems of devices whose id two senders seem to use, sorted by id.
        package var problems: [Problem] { sharedIDs.sorted { $0.key < $1.key }.map { $0.value.problem(device: $0.key) } }

        package var fixesPerSecond: Double { seconds > 0 ? Double(counts.fixes) / seconds : 0 }
    }

    private let target: any FeedTarget
    private var options: Options
    private let observer: Observer
    private var summary = Summary()
    private var bytesRead = 0
    private var bytesInAll: Int?

    /// The number of bytes to read at a time.
    private static let readSize = 1 << 18
    /// The number of positions and refusals in a full chunk. A chunk is sorted by time and becomes one transaction, or one request to a running service.
    /// Both ways use the same size, so that a file produces the same events. A chunk also ends where a pipe has no more data for now.
    private static let mostInChunk = 10_000

    private init(_ target: any FeedTarget, _ options: Options, _ observer: Observer) {
        self.target = target
        self.options = options
        self.observer = observer
    }

    /// Feeds files, directories, or standard input (`-`), one after the other.
    ///
    /// A problem that stops the whole feed is in the summary. Everything that the observer received is on disk.
    package static func run(
        _ paths: [String], into target: any FeedTarget, options: Options, observer: Observer
    ) -> Summary {
        var feed = FileFeed(target, options, observer)
        let start = ContinuousClock.now
        var files: [File] = []
        for path in paths { feed.collectFiles(path, into: &files) }
        feed.nameDevices(of: &files)
        do {
            feed.options.decoding = try target.completed(options.decoding)
        } catch {
            feed.summary.failure = error
            return feed.summary
        }
        feed.bytesInAll = files.contains { $0.path == "-" } ? nil : files.reduce(0) { $0 + $1.size }
        for file in files {
            do {
                try feed.feed(file)
            } catch {
                if error.concernsInput(file.path) {
                    observer.problem(error)
                } else {
                    feed.summary.failure = error
                    break
                }
            }
        }
        if feed.summary.failure == nil {
            do {
                try feed.replayLateFixes(all: true)
                feed.summary.counts.waiting -= feed.summary.replays.late
            } catch {
                feed.summary.failure = error
            }
        }
        feed.summary.seconds = (ContinuousClock.now - start).seconds
        return feed.summary
    }

    /// Replays the late fixes.
    private mutating func replayLateFixes(all: Bool) throws(Problem) {
        summary.replays.add(try target.replayLate(all: all) { for event in $0 { observer.event(event) } })
    }

    // MARK: - Finding files

    private struct File {
        var path: String
        var size: Int
        /// The device of positions that name none; nil if the input has no name.
        var device: FileDevice?
    }

    /// Determines the devices of the files.
    private func nameDevices(of files: inout [File]) {
        let named = files.indices.filter { kind(files[$0].path) == S_IFREG }
        // A file that is named without a folder says nothing about the folder, which may be one of downloads.
        let paths = named.map { files[$0].path.contains("/") ? Self.absolutePath(files[$0].path) : files[$0].path }
        let devices = FileDevice.devices(ofFiles: paths)
        for (index, device) in zip(named, devices) { files[index].device = device }
        // The folder of a pipe has no meaning.
        for index in files.indices where files[index].device == nil && files[index].path != "-" {
            files[index].device = FileDevice(path: files[index].path.split(separator: "/").last.map(String.init) ?? "")
        }
    }

    /// The path from the root, without `.` and `..`.
    static func absolutePath(_ path: String) -> String { URL(filePath: path).standardized.path(percentEncoded: false) }

    /// Adds the file at a path; for a directory, all files below it sorted by name, without hidden ones.
    private func collectFiles(_ path: String, into files: inout [File]) {
        guard path != "-", kind(path) == S_IFDIR else { return files.append(File(path: path, size: DataDirectory.size(path))) }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            return observer.problem(.fileFailed(path: path, reason: error.systemReason))
        }
        let visible = names.filter { !$0.hasPrefix(".") }.sorted()
        if visible.isEmpty { refuse(path, "files", .expecting(.nothingInIt, Phrase("files of positions"))) }
        for name in visible {
            let full = path.hasSuffix("/") ? path + name : path + "/" + name
            switch kind(full) {
            case S_IFDIR: collectFiles(full, into: &files)
            case S_IFREG: files.append(File(path: full, size: DataDirectory.size(full)))
            default: refuse(full, "file", Phrase("it is not a regular file; to read it, name it directly"))
            }
        }
    }

    private func refuse(_ path: String, _ field: String, _ reason: Phrase) {
        observer.refusal(Refusal(file: path, field: field, value: "", reason: reason))
    }

    /// The type bits of the file's mode, for example `S_IFREG`; 0 if the file does not exist.
    private func kind(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    /// Whether the next read would block.
    private func isDrained(_ descriptor: Int32) -> Bool {
        var question = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&question, 1, 0) == 0
    }

    // MARK: - Reading one file

    private mutating func feed(_ file: File) throws(Problem) {
        let isStandardInput = file.path == "-"
        // A pipe may never end.
        let isPipe = isStandardInput || kind(file.path) != S_IFREG
        let descriptor = isStandardInput ? dup(STDIN_FILENO) : open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .fileFailed(path: file.path, reason: .verbatim(String(cString: strerror(errno)))) }
        defer { close(descriptor) }
        summary.files += 1

        var decoding = options.decoding
        decoding.fileDevice = file.device
        if !isPipe, decoding.device == nil {
            decoding.tracks = TrackSurvey.verdict(decoding) { forEachPiece(of: descriptor, $0) }
        }
        let source: ProblemSubject = isStandardInput ? .standardInput : .verbatim(file.path)
        let unpacker = GzipReader(source: source)
        var decoder = FixDecoder(source: source, options: decoding)
        var intake = try target.makePositionSink(policy: options.policy)
        var batch = FixBatch()
        var sharedIDs = SharedIDSearch()
        defer { summary.sharedIDs.merge(sharedIDs.findings) { $0.times < $1.times ? $1 : $0 } }
        var failure: Problem?
        var isEmpty = true
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { buffer.deallocate() }

        reading: while true {
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count < 0 {
                if errno == EINTR { continue }
                failure = .fileFailed(path: file.path, reason: .verbatim(String(cString: strerror(errno))))
                break
            }
            bytesRead += count
            let chunk = UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self)[..<count].rebased)
            var offset = 0
            // Compressed data can be a thousand times as long, so that there are several pieces.
            var isUsedUp = count == 0
            var isAllForNow = false
            repeat {
                do {
                    if count == 0 {
                        try unpacker.finish()
                        try decoder.finish(into: &batch)
                    } else if let piece = try unpacker.nextPiece(of: chunk, from: &offset) {
                        try decoder.decode(piece, into: &batch)
                    } else {
                        isUsedUp = true
                    }
                } catch {
                    // The positions before the error are valid, and are kept.
                    failure = error
                }
                // If a pipe has no more data for now, its positions are processed without waiting for a full chunk.
                isAllForNow = count == 0 || failure != nil || isUsedUp && isDrained(descriptor)
                if isAllForNow || batch.rows.count + batch.refusals.count >= Self.mostInChunk {
                    isEmpty = isEmpty && batch.isEmpty
                    let taken = isAllForNow ? [] : batch.takeLastTimes()
                    if !batch.isEmpty {
                        let ordered = TimeOrderedBatch(batch)
                        sharedIDs.add(ordered)
                        report(try intake.add(ordered), file)
                    }
                    for remark in batch.remarks { observer.remark(file.path, remark) }
                    batch.removeAll()
                    batch.add(taken)
                }
            } while !isUsedUp && failure == nil
            if isAllForNow {
                report(try intake.finish(), file)
                if isPipe { try replayLateFixes(all: false) }
            }
            observer.progress(bytesRead, bytesInAll)
            if count == 0 || failure != nil { break reading }
        }
        if decoding.tracks == .byName {
            for device in batch.deviceNames { summary.add(device: device, of: file.path) }
        } else if decoder.usesFileDevice, decoding.device == nil, case .named(let device) = file.device {
            summary.add(device: device, of: file.path)
        }
        if let failure { throw failure }
        if isEmpty { refuse(file.path, "positions", .nothingInIt) }
    }

    /// Reads a file from its start, without moving the position of its descriptor, while `body` returns true.
    private func forEachPiece(of descriptor: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.readSize, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0, body(UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self)[..<count].rebased)) else { return }
            offset += count
        }
    }

    /// Passes the results to the observer, and counts them.
    private mutating func report(_ result: IntakeResult?, _ file: File) {
        guard let result else { return }
        summary.counts.add(result.counts)
        summary.timesWithoutZone.add(result.timesWithoutZone)
        for event in result.events { observer.event(event) }
        if let problem = result.phoneProblem, !summary.isPhoneProblemTold {
            summary.isPhoneProblemTold = true
            observer.problem(problem)
        }
        for var refusal in result.refusals {
            refusal.file = refusal.file ?? file.path
            observer.refusal(refusal)
        }
    }
}

extension Slice where Base == UnsafeMutableBufferPointer<UInt8> {
    fileprivate var rebased: UnsafeMutableBufferPointer<UInt8> { UnsafeMutableBufferPointer(rebasing: self) }
}

extension Problem {
    /// Whether the problem concerns only this input, so that other files can be read.
    fileprivate func concernsInput(_ file: String) -> Bool {
        switch self {
        case .validationFailed, .decodingFailed, .unsupportedFormat, .tooLarge: true
        case .fileFailed(let path, _): path == file
        default: false
        }
    }
}
