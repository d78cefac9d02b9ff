import CCurl
import HTTPSemantics
package import LinuxSystem

/// Reads and writes the objects of one bucket of an S3 store, on a thread with connections of its own.
///
/// Requests are signed with AWS Signature Version 4. Redirects are not followed, and proxy settings in the environment are ignored.
/// The address policy of sources does not apply: the bucket is the operator's.
package final class ObjectClient: Sendable {
    package typealias Completion = @Sendable (Result<ObjectResponse, ObjectFailure>) -> Void

    /// A request that waits to be started.
    struct Entry: Sendable {
        let request: ObjectRequest
        /// The monotonic time from which its patience counts.
        let begun: Int64
        /// Whether it is sent again, with a time that the store accepts.
        var isRepeated = false
        let completion: Completion
    }

    private struct State: Sendable {
        var waiting: [Entry] = []
        /// Requests that have not completed.
        var count = 0
        var isClosed = false
        var multi: MultiHandle?
        /// Seconds by which the store's clock is ahead of this machine's, if that is more than `tolerance`.
        var skew: Int64 = 0
    }

    /// The difference of clocks that is not corrected, in seconds; stores refuse signatures whose time differs by 15 minutes.
    private static let tolerance: Int64 = 120

    let bucket: ObjectBucket
    let credentials: SourceCredentials?
    let time: any TimeSource
    let room: ObjectRoom
    private let maximum: Int
    private let state: Lock<State>

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - credentials: access keys; `nil` for requests without a signature.
    ///   - maximum: the number of requests in progress; further ones fail with `.busy`.
    ///   - room: where contents that arrive are kept, and which accounts bound them.
    ///   - name: the thread's name.
    /// - Throws: `Errno` if the system cannot create the thread or memory is short.
    package init(
        _ bucket: ObjectBucket,
        credentials: SourceCredentials?,
        maximum: Int,
        room: ObjectRoom = ObjectRoom(),
        name: String,
        time: any TimeSource = SystemTime()
    ) throws(Errno) {
        guard TransferEngine.isLibraryReady, let multi = MultiHandle() else { throw Errno(12, "curl_multi_init") }
        self.bucket = bucket
        self.credentials = credentials
        self.maximum = maximum
        self.room = room
        self.time = time
        state = Lock(State(multi: multi))
        do throws(Errno) {
            try SystemThread.start(name: name) { [self] in run(multi) }
        } catch {
            multi.dispose()
            throw error
        }
    }

    /// Sends a request; any thread, returns immediately.
    ///
    /// - Parameter completion: called once: on the client's thread, which it must not block, or before this returns if the request
    ///   is refused.
    package func send(_ request: ObjectRequest, completion: @escaping Completion) {
        let entry = Entry(request: request, begun: time.monotonic, completion: completion)
        let refusal = state.withLock { state -> ObjectFailure? in
            guard !state.isClosed else { return .closed }
            guard state.count < maximum else { return .busy }
            state.count += 1
            state.waiting.append(entry)
            state.multi?.wake()
            return nil
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Sends a request and blocks until it has completed.
    package func perform(_ request: ObjectRequest) -> Result<ObjectResponse, ObjectFailure> {
        let result = Monitor<Result<ObjectResponse, ObjectFailure>?>(nil)
        send(request) { outcome in result.update { $0 = outcome } }
        return result.wait { $0 } ?? .failure(.closed)
    }

    /// Fails all requests and ends the thread; later requests fail.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.multi?.wake()
        }
    }

    // MARK: The thread

    private func run(_ multi: MultiHandle) {
        var transfers: [UnsafeMutableRawPointer: ObjectTransfer] = unsafe [:]
        func start(_ entry: Entry) {
            guard let transfer = ObjectTransfer(entry, of: self), multi.add(transfer.easy) else {
                return complete(entry.completion, .failure(.broken("out of memory")))
            }
            unsafe transfers[transfer.easy.pointer] = transfer
        }
        func end(_ pointer: UnsafeMutableRawPointer, _ failure: ObjectFailure?) {
            guard let transfer = unsafe transfers.removeValue(forKey: pointer) else { return }
            unsafe multi.remove(pointer)
            let result = transfer.conclude(failure)
            if case .success(let response) = result, learnsClock(from: response), response.status == 403,
                !transfer.entry.isRepeated
            {
                var entry = transfer.entry
                entry.isRepeated = true
                start(entry)
            } else {
                complete(transfer.entry.completion, result)
            }
        }
        while true {
            let (entries, isClosed) = state.withLock { state in
                defer { state.waiting = [] }
                return (state.waiting, state.isClosed)
            }
            for entry in entries {
                if isClosed { complete(entry.completion, .failure(.closed)) } else { start(entry) }
            }
            if isClosed { break }
            // Before the answers are read: one that arrived while a completion took long is in time.
            let now = time.monotonic
            multi.perform()
            while let ended = unsafe multi.nextEnded() {
                unsafe end(ended.pointer, transfers[ended.pointer]?.failure(ended.code))
            }
            let late = unsafe transfers.values.filter { $0.deadline <= now }
            for transfer in late { unsafe end(transfer.easy.pointer, .slow) }
            let next = unsafe transfers.values.map(\.deadline).min()
            multi.poll(milliseconds: next.map { Int($0 - time.monotonic) / 1_000_000 + 1 })
        }
        let rest = unsafe Array(transfers.values)
        for transfer in rest { unsafe end(transfer.easy.pointer, .closed) }
        state.withLock { $0.multi = nil }
        multi.dispose()
    }

    private func complete(_ completion: Completion, _ result: Result<ObjectResponse, ObjectFailure>) {
        state.withLock { $0.count -= 1 }
        completion(result)
    }

    /// The time for signatures, by the store's clock.
    var signingSeconds: Int64 { time.wallSeconds + state.withLock { $0.skew } }

    /// Compares the clocks; returns whether the time of signatures has changed.
    private func learnsClock(from response: ObjectResponse) -> Bool {
        guard let date = response.date else { return false }
        let difference = date - time.wallSeconds
        let skew = abs(difference) > Self.tolerance ? difference : 0
        return state.withLock { state in
            guard abs(skew - state.skew) > Self.tolerance else { return false }
            state.skew = skew
            return true
        }
    }
}
