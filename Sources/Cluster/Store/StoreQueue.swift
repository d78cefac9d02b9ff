package import HTTPCache
import LinuxSystem

/// Writes that wait for the shared store, bounded by bytes, number and open files; any thread.
///
/// When it is full, the newest write is dropped: what is waiting has been there longer, and an answer never waits.
package final class StoreQueue: Sendable {
    /// What is to be written.
    package enum Work: Sendable {
        /// An original; without a body only its record.
        case original(OriginRecord, OriginBody?, SharedPlace)
        case result(VariantRecord, [UInt8], plan: CacheKey, SharedPlace)
        /// A mezzanine, unless there is one.
        case mezzanine(VariantRecord, [UInt8], plan: CacheKey, SharedPlace)
        /// Removes an object.
        case removal
    }

    /// A write.
    package struct Item: Sendable {
        /// The key of the object that is written last.
        package var key: String
        package var work: Work
        /// What purges match it against; `nil` if none affects it.
        package var subject: PurgeSubject?
        /// Is told what became of the write; `nil` if nobody wants to know.
        package var completion: StoreCompletion?

        /// Creates a write.
        package init(key: String, work: Work, subject: PurgeSubject? = nil) {
            (self.key, self.work, self.subject) = (key, work, subject)
        }

        /// The bytes that it keeps in memory or in a file, with an allowance for its record.
        package var bytes: Int {
            switch work {
            case .original(_, let body, _): (body?.length ?? 0) + 2_048
            case .result(_, let bytes, _, _), .mezzanine(_, let bytes, _, _): bytes.count + 2_048
            case .removal: 256
            }
        }

        /// Whether it keeps a file open.
        var holdsFile: Bool { if case .original(_, .some, _) = work { true } else { false } }
    }

    private struct State: Sendable {
        var items: [Item] = []
        /// The bytes of waiting items and of those being written.
        var bytes = 0
        /// The open files of the same.
        var files = 0
        /// Items being written.
        var active = 0
        var dropped = 0
        let limit: Int
        var isClosed = false

        /// Gives back the room of an item.
        mutating func release(_ item: Item) {
            bytes -= item.bytes
            if item.holdsFile { files -= 1 }
        }
    }

    /// Maximum number of files that are kept open, by default.
    package static let maximumFiles = 256

    private let maximumCount: Int
    private let maximumFiles: Int
    private let state: Monitor<State>

    /// Creates an empty queue.
    ///
    /// - Parameters:
    ///   - bytes: maximum bytes of all items, including those being written.
    ///   - count: maximum number of waiting items.
    ///   - files: maximum number of originals with their contents, including those being written: each is an open file.
    package init(bytes: Int, count: Int = 4_096, files: Int = maximumFiles) {
        maximumCount = count
        maximumFiles = files
        state = Monitor(State(limit: bytes))
    }

    /// Appends an item, or replaces a waiting one of the same object; drops it if there is no room.
    package func add(_ item: Item) {
        let lost = state.update { state -> [Item] in
            guard !state.isClosed else { return [item] }
            var item = item
            var lost: [Item] = []
            if let index = state.items.firstIndex(where: { $0.key == item.key }) {
                let old = state.items.remove(at: index)
                state.release(old)
                if !item.takeContent(of: old) { lost.append(old) }
            }
            guard state.items.count < maximumCount, item.bytes <= state.limit - state.bytes,
                !item.holdsFile || state.files < maximumFiles
            else {
                state.dropped += 1
                return lost + [item]
            }
            state.bytes += item.bytes
            if item.holdsFile { state.files += 1 }
            state.items.append(item)
            return lost
        }
        for item in lost { item.completion?.end(false) }
    }

    /// Removes and returns the oldest item, for which `finish` must follow; blocks, and returns `nil` once the queue is closed.
    package func next() -> Item? {
        state.wait { state -> Item?? in
            if state.isClosed { return .some(nil) }
            guard !state.items.isEmpty else { return nil }
            state.active += 1
            return state.items.removeFirst()
        } ?? nil
    }

    /// Releases the room of an item that was returned by `next`.
    package func finish(_ item: Item) {
        state.update(wakingAll: true) { state in
            state.active -= 1
            state.release(item)
        }
    }

    /// Drops what a purge selects, or may select.
    package func purge(_ selection: PurgeSelection) {
        let lost = state.update(wakingAll: true) { state in
            let isLost = state.items.map { $0.subject.map(selection.covers) ?? false != false }
            let lost = zip(state.items, isLost).filter(\.1).map(\.0)
            state.items = zip(state.items, isLost).filter { !$0.1 }.map(\.0)
            state.dropped += lost.count
            for item in lost { state.release(item) }
            return lost
        }
        for item in lost { item.completion?.end(false) }
    }

    /// Waits until nothing is waiting or being written.
    ///
    /// - Returns: false after the time has passed.
    @discardableResult
    package func waitUntilEmpty(nanoseconds: Int64) -> Bool {
        state.wait(nanoseconds: nanoseconds) { $0.items.isEmpty && $0.active == 0 ? true : nil } ?? false
    }

    /// Waits for a time; returns true if the queue was closed.
    package func pause(nanoseconds: Int64) -> Bool {
        state.wait(nanoseconds: nanoseconds) { $0.isClosed ? true : nil } ?? false
    }

    /// Drops what is waiting, and ends the writers.
    package func close() {
        let lost = state.update(wakingAll: true) { state in
            state.isClosed = true
            state.dropped += state.items.count
            for item in state.items { state.release(item) }
            defer { state.items = [] }
            return state.items
        }
        for item in lost { item.completion?.end(false) }
    }

    /// The number and the bytes of items that wait or are being written, and the number of dropped ones.
    package var counts: (queued: Int, bytes: Int, dropped: Int) {
        state.withLock { ($0.items.count + $0.active, $0.bytes, $0.dropped) }
    }
}

extension StoreQueue.Item {
    /// Takes over the content of an older item that has not been written yet, if the record is of that content.
    ///
    /// The completion of the older item is then told about this one.
    ///
    /// - Returns: false if this item replaces the older one instead.
    fileprivate mutating func takeContent(of old: StoreQueue.Item) -> Bool {
        guard case .original(let record, nil, let place) = work, case .original(_, let body?, _) = old.work,
            body.digest == record.digest
        else { return false }
        work = .original(record, body, place)
        guard let earlier = old.completion else { return true }
        guard let later = completion else {
            completion = earlier
            return true
        }
        completion = StoreCompletion { isStored in
            earlier.end(isStored)
            later.end(isStored)
        }
        return true
    }
}

/// Tells once what became of a write: false if it is released without having been told; any thread.
package final class StoreCompletion: Sendable {
    private struct Callback: Sendable {
        let call: @Sendable (Bool) -> Void
    }

    private let callback: Lock<Callback?>

    /// Creates a completion.
    ///
    /// - Parameter call: called once with whether the store has the object, or something newer; must not block.
    package init(_ call: @escaping @Sendable (Bool) -> Void) { callback = Lock(Callback(call: call)) }

    deinit { end(false) }

    /// Calls back; only the first call has an effect.
    package func end(_ isStored: Bool) { callback.withLock { $0.take() }?.call(isStored) }
}
