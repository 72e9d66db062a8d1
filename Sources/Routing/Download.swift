import Core
import Dispatch
import Model
import Service
import Synchronization

/// An answer of any length, which is read piece by piece from the store or a file while it is sent. A slow client keeps only one
/// piece in memory.
package final class Download: ResponseSource {
    /// A piece of the answer.
    package struct Piece: Sendable {
        package var bytes: [UInt8]
        /// Where the next piece comes from; nil after the last one.
        package var next: Next?

        package init(bytes: [UInt8], next: Next?) {
            self.bytes = bytes
            self.next = next
        }

        package init(text: String, next: Source?) { self.init(bytes: Array(text.utf8), next: next.map(Next.store)) }

        /// The beginning of a file, of which nothing was read yet.
        package static func start(of file: TemporaryFile) -> Piece { Piece(bytes: [], next: .file(file, offset: 0)) }
    }

    /// Reads a piece, on a thread of the readers.
    package typealias Source = @Sendable (Queries) throws(Problem) -> Piece

    /// Where a piece comes from.
    package enum Next: Sendable {
        case store(Source)
        /// The piece is the part of a file that begins at an offset. It needs no reader and does not wait for the writer.
        case file(TemporaryFile, offset: Int)
    }

    /// The number of bytes after which a piece of text ends. Reading it takes a few milliseconds.
    package static let usualPiece = 65_536

    /// The size of a piece of a file, in bytes.
    private static let filePiece = 1 << 20

    private struct State {
        var buffer: SendBuffer
        var next: Next?
        var isFetching = false
        var hasFailed = false
    }

    private let state: Mutex<State>
    private let readers: Readers
    private let client: QueryClient
    package let blockSize = 65_536
    package let heldBytes: Int

    package init(_ first: Piece, _ readers: Readers, for client: QueryClient) {
        self.client = client
        let following =
            switch first.next {
            case nil: 0
            case .store: Self.usualPiece
            case .file: Self.filePiece
            }
        heldBytes = max(first.bytes.count, following)
        state = Mutex(State(buffer: SendBuffer(first.bytes), next: first.next))
        self.readers = readers
    }

    package func begin(on connection: any PausableConnection) {
        state.withLock { $0.buffer.attach(to: connection) }
    }

    package func close() {}

    /// Copies the next bytes into `buffer`, or pauses the connection while the next piece is read.
    package func read(_ buffer: UnsafeMutableRawBufferPointer) -> ResponsePart {
        state.withLock { state in
            if let part = unsafe state.buffer.copyNext(into: buffer) { return part }
            if state.hasFailed { return .failed }
            guard let next = state.next else { return .ended }
            if !state.isFetching {
                state.isFetching = fetch(next)
                guard state.isFetching else { return .failed }
            }
            return state.buffer.pause()
        }
    }

    /// - Returns: False if the piece cannot be read, because the service stops.
    private func fetch(_ piece: Next) -> Bool {
        switch piece {
        case .store(let read):
            return readers.submit(for: client, continuing: true, read) { [self] in finishFetch($0) }
        case .file(let file, let offset):
            DispatchQueue.global().async { [self] in
                finishFetch(
                    Result { () throws(Problem) in
                        let bytes = try file.read(from: offset, atMost: Self.filePiece)
                        let isLast = bytes.count < Self.filePiece
                        return Piece(bytes: bytes, next: isLast ? nil : .file(file, offset: offset + bytes.count))
                    })
            }
            return true
        }
    }

    private func finishFetch(_ result: Result<Piece, Problem>) {
        state.withLock { state in
            state.isFetching = false
            switch result {
            case .success(let piece):
                state.buffer.fill(piece.bytes)
                state.next = piece.next
            case .failure: state.hasFailed = true
            }
            state.buffer.resume()
        }
    }
}

extension Response {
    /// An answer of any length that browsers save as a file.
    package static func download(_ first: Download.Piece, _ contentType: String, name: String, for call: Call) -> Response {
        Response(status: 200, contentType: contentType, body: .download(Download(first, call.readers, for: call.client)))
            .with("Content-Disposition", "attachment; filename=\"\(name)\"")
            .with("Cache-Control", "no-store")
    }
}
