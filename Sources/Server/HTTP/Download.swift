import Model
import Service
import Synchronization

/// An answer of any length, which is read from the store or from a file page by page while it is sent. A slow client holds one page in memory.
final class Download: ResponseSource {
    /// A page of the answer.
    struct Page: Sendable {
        var bytes: [UInt8]
        /// Reads the next page; nil after the last one.
        var next: Source?

        init(bytes: [UInt8], next: Source?) {
            self.bytes = bytes
            self.next = next
        }

        init(text: String, next: Source?) { self.init(bytes: Array(text.utf8), next: next) }
    }

    /// Reads a page, on a thread of the readers.
    typealias Source = @Sendable (Queries) throws(Problem) -> Page

    private struct State {
        var buffer: SendBuffer
        var next: Source?
        var isFetching = false
        var hasFailed = false
    }

    private let state: Mutex<State>
    private let readers: Readers
    let blockSize = 65_536

    init(_ first: Page, _ readers: Readers) {
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

    private func fetch(_ source: @escaping Source) -> Bool {
        readers.submit(source) { [self] result in
            state.withLock { state in
                state.isFetching = false
                switch result {
                case .success(let part):
                    state.buffer.fill(part.bytes)
                    state.next = part.next
                case .failure: state.hasFailed = true
                }
                state.buffer.resume()
            }
        }
    }
}
