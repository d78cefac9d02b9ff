import CCurl

/// A wrapper of a libcurl multi handle, freed by `dispose`.
///
/// One thread uses it; only `wake` may be called by others, before `dispose`.
// Unchecked: `curl_multi_wakeup` is the only call from other threads, and libcurl allows it from any thread; the other calls are
// made by the thread that runs the transfers.
@safe
struct MultiHandle: @unchecked Sendable {
    /// The longest pause between two looks at the deadlines while there are transfers, in milliseconds: clocks of tests jump.
    private static let pace = 100
    private let pointer: UnsafeMutableRawPointer

    /// Creates a handle; `nil` if out of memory.
    init?() {
        guard let pointer = unsafe curl_multi_init() else { return nil }
        unsafe self.pointer = pointer
    }

    /// Interrupts `poll`, or makes the next one return at once; any thread.
    func wake() { unsafe curl_multi_wakeup(pointer) }

    /// Starts a transfer; false if out of memory.
    func add(_ easy: EasyHandle) -> Bool { unsafe curl_multi_add_handle(pointer, easy.pointer) == CURLM_OK }

    /// Stops a transfer.
    func remove(_ easy: UnsafeMutableRawPointer) { unsafe curl_multi_remove_handle(pointer, easy) }

    /// Does what can be done without blocking.
    func perform() {
        var running: CInt = 0
        unsafe curl_multi_perform(pointer, &running)
    }

    /// Returns a transfer that has ended, and its result.
    func nextEnded() -> (pointer: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: CInt = 0
        while let message = unsafe curl_multi_info_read(pointer, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            return unsafe (easy, message.pointee.data.result)
        }
        return nil
    }

    /// Waits for activity, `wake`, or a time.
    ///
    /// - Parameter milliseconds: the time until the next deadline; `nil` without transfers.
    func poll(milliseconds: Int?) {
        let patience = milliseconds.map { min(max(0, $0), Self.pace) } ?? 60_000
        unsafe curl_multi_poll(pointer, nil, 0, CInt(patience), nil)
    }

    func dispose() { unsafe curl_multi_cleanup(pointer) }
}
