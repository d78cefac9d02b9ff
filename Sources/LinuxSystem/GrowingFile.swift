import CLinux
import Glibc

/// A file that one thread appends to while others read it: a body that is still arriving.
///
/// Readers follow the file's progress without blocking. When the last reader leaves before the end, `onAbandon` is called. A
/// file that is too large to keep can forget what all readers have read, so that it occupies a bounded space however slow they
/// are: see `forgetRead`. A reader that is too slow for the others can then be found and ended: see `Reader.delaysOthersSince`.
/// Any thread; callbacks run without a lock held.
@safe
package final class GrowingFile: Sendable {
    /// How a file stopped growing.
    package enum End: Sendable {
        /// All bytes have arrived.
        case complete
        /// The rest will not arrive; what has arrived must not be mistaken for the whole.
        case failed
    }

    /// How far a file has grown.
    package struct Progress: Sendable {
        /// The bytes that can be read, from offset 0.
        package var count: Int
        /// `nil` while more bytes may follow.
        package var end: End?
    }

    private struct State: Sendable {
        var progress = Progress(count: 0, end: nil)
        /// The offset up to which each reader has read, by number.
        var readers: [Int: Int] = [:]
        var nextReader = 0
        /// Readers that wait for more bytes than they have seen.
        var waiting: [Int: @Sendable () -> Void] = [:]
        var observers: [@Sendable (End) -> Void] = []
        /// Whether what all readers have read may be forgotten; there are no new readers then.
        var forgets = false
        /// The offset before which the bytes are forgotten.
        var forgotten = 0
        /// The time since which the writer has been paused, and nothing forgotten; `nil` if it is not paused.
        var stalledSince: Int64?
        var onAbandon: (@Sendable () -> Void)?
        var onForget: (@Sendable () -> Void)?

        mutating func takeWaiting() -> [@Sendable () -> Void] {
            defer { waiting = [:] }
            return Array(waiting.values)
        }

        /// Whether a reader keeps the first step from being forgotten.
        func isSlow(_ reader: Int) -> Bool {
            readers[reader].map { $0 - forgotten < GrowingFile.forgettingStep } ?? false
        }
    }

    /// The nanoseconds for which a reader may delay others; to forget a step in this time, it must read about 50 kB/s.
    package static let patience: Int64 = 5_000_000_000
    /// The bytes are forgotten in steps of this many.
    private static let forgettingStep = 256 << 10
    /// Bytes are forgotten in whole pages, of at most 64 KiB each on Linux.
    ///
    /// The kernel would overwrite a part of a page with zeros, although sockets may still send from it: sendfile(2) copies nothing.
    private static let pageSize = 64 << 10

    /// The readable descriptor; use explicit offsets, since all readers share its file offset.
    package let file: SharedDescriptor
    /// The announced length in bytes; `nil` if it is unknown.
    package let expected: Int?
    /// Whether the file keeps all its bytes, as far as is known when it starts to grow.
    package let isKept: Bool
    private let state = Lock(State())

    /// Creates the reading side of a file; the writer appends to the file itself and reports each growth.
    package init(_ file: SharedDescriptor, expected: Int?, isKept: Bool = true) {
        self.file = file
        self.expected = expected
        self.isKept = isKept
    }

    // MARK: Writing

    /// Sets what happens once the last reader has left before the end; immediately if there is none.
    package func onAbandon(_ action: @escaping @Sendable () -> Void) {
        let isAlone = state.withLock { state in
            guard state.progress.end == nil else { return false }
            guard state.readers.isEmpty else {
                state.onAbandon = action
                return false
            }
            return true
        }
        if isAlone { action() }
    }

    /// Reports that the file has grown to `count` bytes.
    package func grow(to count: Int) {
        let waiting = state.withLock { state in
            state.progress.count = count
            state.stalledSince = nil
            return state.takeWaiting()
        }
        for wake in waiting { wake() }
    }

    /// Ends the file; only the first call has an effect.
    package func end(_ end: End) {
        let (waiting, observers) = state.withLock { state -> ([@Sendable () -> Void], [@Sendable (End) -> Void]) in
            guard state.progress.end == nil else { return ([], []) }
            state.progress.end = end
            state.onAbandon = nil
            state.onForget = nil
            defer { state.observers = [] }
            return (state.takeWaiting(), state.observers)
        }
        for wake in waiting { wake() }
        for observe in observers { observe(end) }
    }

    /// Forgets from now on what all readers have read, and admits no new reader.
    ///
    /// - Parameter onForget: called when bytes have been forgotten, so that a paused writer can continue.
    package func forgetRead(_ onForget: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.forgets = true
            state.onForget = onForget
        }
        forget()
    }

    /// Reports that the writer is paused until bytes are forgotten.
    ///
    /// - Parameter now: the monotonic clock, in nanoseconds. The first report counts, until bytes are forgotten or the file grows.
    package func stall(at now: Int64) {
        state.withLock { state in
            if state.stalledSince == nil { state.stalledSince = now }
        }
    }

    /// The bytes that the file occupies: those that are not forgotten.
    package var retained: Int { state.withLock { $0.progress.count - $0.forgotten } }

    // MARK: Reading

    /// Whether the file has a reader.
    package var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

    /// How far the file has grown.
    package var progress: Progress { state.withLock { $0.progress } }

    /// Whether the file has ever had a reader.
    package var wasRead: Bool { state.withLock { $0.nextReader > 0 } }

    /// Adds a reader of the whole file; `nil` if the beginning may be forgotten already.
    package func reader() -> Reader? {
        let number = state.withLock { state -> Int? in
            guard !state.forgets else { return nil }
            defer { state.nextReader += 1 }
            state.readers[state.nextReader] = 0
            return state.nextReader
        }
        return number.map { Reader(self, $0) }
    }

    /// Calls `observer` once with the file's end; immediately if it has ended.
    package func whenEnded(_ observer: @escaping @Sendable (End) -> Void) {
        let end = state.withLock { state -> End? in
            if state.progress.end == nil { state.observers.append(observer) }
            return state.progress.end
        }
        if let end { observer(end) }
    }

    /// One reader's membership; releasing it leaves the file.
    package final class Reader: Sendable {
        /// The file that is read.
        package let source: GrowingFile
        private let number: Int

        fileprivate init(_ source: GrowingFile, _ number: Int) {
            self.source = source
            self.number = number
        }

        deinit { source.leave(number) }

        /// Returns how far the file has grown, and calls `wake` once it grows further or ends.
        ///
        /// - Parameters:
        ///   - count: the growth that the reader has seen; `wake` is not called if there is more already.
        ///   - wake: called at most once, on the writer's thread; it replaces the one of an earlier call.
        package func progress(beyond count: Int, wake: @escaping @Sendable () -> Void) -> Progress {
            source.state.withLock { state in
                if state.progress.count <= count, state.progress.end == nil { state.waiting[number] = wake }
                return state.progress
            }
        }

        /// Reports that this reader needs nothing before `offset` any more.
        package func read(to offset: Int) {
            let forgets = source.state.withLock { state in
                state.readers[number] = offset
                return state.forgets
            }
            if forgets { source.forget() }
        }

        /// The time since which the writer has been waiting for this reader, while another reader waits for more; `nil` if there
        /// is no such delay.
        ///
        /// A reader that delays others for longer than `patience` is to be released, by its own thread: bytes that it may still
        /// be reading are never forgotten.
        package var delaysOthersSince: Int64? {
            source.state.withLock { state in
                guard !state.waiting.isEmpty, state.waiting[number] == nil, state.isSlow(number) else { return nil }
                return state.stalledSince
            }
        }
    }

    private func leave(_ number: Int) {
        let abandon = state.withLock { state -> (@Sendable () -> Void)? in
            state.readers[number] = nil
            state.waiting[number] = nil
            return state.readers.isEmpty ? state.onAbandon.take() : nil
        }
        abandon?()
        forget()
    }

    private func forget() {
        let (from, to, action) = state.withLock { state -> (Int, Int, (@Sendable () -> Void)?) in
            guard state.forgets, let slowest = state.readers.values.min() else { return (0, 0, nil) }
            let (from, to) = (state.forgotten, slowest / Self.pageSize * Self.pageSize)
            guard to - from >= Self.forgettingStep else { return (0, 0, nil) }
            state.forgotten = to
            state.stalledSince = nil
            return (from, to, state.onForget)
        }
        guard to > from else { return }
        edge_punch_hole(file.number, off_t(from), off_t(to - from))
        action?()
    }
}
