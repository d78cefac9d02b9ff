import CCurl

/// Posts documents to one URL and waits for the responses: for telemetry, not for originals.
///
/// It uses neither the queue nor the connections of the transfer engine, so that a slow receiver delays no download. Redirects are
/// not followed, and proxy settings in the environment are ignored. Create and use it on one thread.
@safe
package final class PostClient {
    /// What became of a request.
    package enum Outcome: Hashable, Sendable {
        /// The receiver responded.
        ///
        /// - Parameters:
        ///   - retryAfter: the seconds of `Retry-After`; 0 if there is none.
        ///   - body: the first 64 KiB of the content.
        case answered(status: Int, retryAfter: Int, body: [UInt8])
        /// There was no complete response; the reason, in libcurl's words.
        case failed(String)
        /// The time limit of the caller was reached.
        case abandoned
    }

    /// The bytes received so far.
    private final class Received {
        static let limit = 64 << 10
        var bytes: [UInt8] = []
    }

    /// The longest time between two checks of the caller's time limit, in milliseconds.
    private static let pace: CInt = 100

    private let easy: EasyHandle
    private let multi: UnsafeMutableRawPointer

    /// Creates a client without a connection; `nil` if out of memory.
    package init?() {
        guard let easy = EasyHandle() else { return nil }
        guard let multi = unsafe curl_multi_init() else {
            easy.dispose()
            return nil
        }
        self.easy = easy
        unsafe self.multi = multi
    }

    deinit {
        unsafe curl_multi_cleanup(multi)
        easy.dispose()
    }

    /// Sends a POST request and blocks until it has ended; the connection is kept for the next one.
    ///
    /// - Parameters:
    ///   - url: an absolute http or https URL.
    ///   - fields: header fields; `Content-Length` is added.
    ///   - milliseconds: the time limit of the request.
    ///   - isOver: whether to give up; called at least ten times a second.
    package func post(
        _ body: [UInt8],
        to url: String,
        fields: [HeaderField],
        milliseconds: Int,
        isOver: () -> Bool = { false }
    ) -> Outcome {
        easy.reset()
        let received = Received()
        // No Expect: the content is not worth a round trip.
        let lines = HeaderList(fields.map { "\($0.name): \($0.value)" } + ["Expect:"])
        prepare(url, lines, milliseconds, received)
        easy.set(CURLOPT_POSTFIELDSIZE, body.count)
        // libcurl copies the content.
        unsafe body.withUnsafeBytes { bytes in
            unsafe easy.set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        }
        guard unsafe curl_multi_add_handle(multi, easy.pointer) == CURLM_OK else { return .failed("out of memory") }
        let code = perform(isOver)
        unsafe curl_multi_remove_handle(multi, easy.pointer)
        return withExtendedLifetime((lines, received)) { () -> Outcome in
            guard let code else { return .abandoned }
            guard code == CURLE_OK else { return .failed(unsafe String(cString: curl_easy_strerror(code))) }
            return .answered(
                status: easy.long(CURLINFO_RESPONSE_CODE),
                retryAfter: Int(clamping: easy.offset(CURLINFO_RETRY_AFTER)),
                body: received.bytes
            )
        }
    }

    private func prepare(_ url: String, _ lines: HeaderList, _ milliseconds: Int, _ received: Received) {
        easy.set(CURLOPT_URL, url)
        easy.set(CURLOPT_PROTOCOLS_STR, "http,https")
        easy.set(CURLOPT_PROXY, "")
        easy.set(CURLOPT_NOSIGNAL, 1)
        easy.set(CURLOPT_TIMEOUT_MS, milliseconds)
        easy.set(CURLOPT_POST, 1)
        easy.set(CURLOPT_HTTPHEADER, lines)
        unsafe easy.set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
        unsafe edge_easy_set_write_callback(easy.pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            guard let owner = unsafe owner else { return 0 }
            let received = unsafe Unmanaged<Received>.fromOpaque(owner).takeUnretainedValue()
            let kept = min(size * count, Received.limit - received.bytes.count)
            unsafe received.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: kept))
            return size * count
        }
    }

    /// Runs the request to its end; `nil` if the caller gave up.
    private func perform(_ isOver: () -> Bool) -> CURLcode? {
        var running: CInt = 1
        while true {
            guard unsafe curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            var left: CInt = 0
            if let message = unsafe curl_multi_info_read(multi, &left) {
                return unsafe message.pointee.data.result
            }
            if isOver() { return nil }
            unsafe curl_multi_poll(multi, nil, 0, Self.pace, nil)
        }
    }
}
