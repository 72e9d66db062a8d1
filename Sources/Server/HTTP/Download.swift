import Dispatch
import Model
import Service
import Synchronization

/// An answer of any length, which is read page by page from the store or a file while it is sent. A slow client holds one page in memory.
final class Download: ResponseSource {
    /// A page of the answer.
    struct Page: Sendable {
        var bytes: [UInt8]
        /// Where the next page comes from; nil after the last one.
        var next: Next?

        init(bytes: [UInt8], next: Next?) {
            self.bytes = bytes
            self.next = next
        }

        init(text: String, next: Source?) { self.init(bytes: Array(text.utf8), next: next.map(Next.store)) }
    }

    /// Reads a page, on a thread of the readers.
    typealias Source = @Sendable (Queries) throws(Problem) -> Page

    /// Where a page comes from.
    enum Next: Sendable {
        case store(Source)
        /// The page is the part of a file that begins at an offset. It needs no reader and does not wait for the writer.
        case file(TemporaryFile, offset: Int)
    }

    /// The size of a page of a file, in bytes.
    private static let filePage = 1 << 20

    private struct State {
        var buffer: SendBuffer
        var next: Next?
        var isFetching = false
        var hasFailed = false
    }

    private let state: Mutex<State>
    private let readers: Readers
    private let client: QueryClient
    let blockSize = 65_536

    init(_ first: Page, _ readers: Readers, for client: QueryClient) {
        self.client = client
        state = Mutex(State(buffer: SendBuffer(first.bytes), next: first.next))
        self.readers = readers
    }

    func begin(on connection: any PausableConnection) {
        state.withLock { $0.buffer.attach(to: connection) }
    }

    func close() {}

    /// Copies the next bytes into `buffer`, or pauses the connection while the next page is read.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> ResponsePart {
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

    /// - Returns: False if the page cannot be read, because the service stops.
    private func fetch(_ page: Next) -> Bool {
        switch page {
        case .store(let read):
            return readers.submit(for: client, read) { [self] in finishFetch($0) }
        case .file(let file, let offset):
            DispatchQueue.global().async { [self] in
                finishFetch(
                    Result { () throws(Problem) in
                        let bytes = try file.read(from: offset, atMost: Self.filePage)
                        let isLast = bytes.count < Self.filePage
                        return Page(bytes: bytes, next: isLast ? nil : .file(file, offset: offset + bytes.count))
                    })
            }
            return true
        }
    }

    private func finishFetch(_ result: Result<Page, Problem>) {
        state.withLock { state in
            state.isFetching = false
            switch result {
            case .success(let page):
                state.buffer.fill(page.bytes)
                state.next = page.next
            case .failure: state.hasFailed = true
            }
            state.buffer.resume()
        }
    }
}
