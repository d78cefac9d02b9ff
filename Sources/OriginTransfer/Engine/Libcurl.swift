import CCurl

/// A typed wrapper of a libcurl easy handle.
///
/// Confined to one thread; freed by `dispose`.
@safe
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer

    /// Creates a handle; `nil` if out of memory.
    init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
    }

    /// Wraps a handle from a callback or message of libcurl.
    init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = pointer
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe edge_easy_set_long(pointer, option, value)
    }

    /// Sets a string option; libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) {
        unsafe edge_easy_set_string(pointer, option, value)
    }

    /// Sets an option of type `curl_off_t`.
    func set(_ option: CURLoption, offset: Int) {
        unsafe edge_easy_set_offset(pointer, option, curl_off_t(offset))
    }

    /// Sets a pointer option; the pointer must stay valid as long as the handle may use it.
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        unsafe edge_easy_set_pointer(pointer, option, value)
    }

    func set(_ option: CURLoption, _ value: HeaderList?) {
        unsafe edge_easy_set_list(pointer, option, value?.first)
    }

    func long(_ info: CURLINFO) -> Int {
        var value = 0
        unsafe edge_easy_get_long(pointer, info, &value)
        return value
    }

    /// Returns a value of type `curl_off_t`, in the unit of the information.
    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        unsafe edge_easy_get_offset(pointer, info, &value)
        return Int64(value)
    }

    /// The value of `CURLOPT_PRIVATE`.
    var owner: UnsafeMutableRawPointer? {
        var value: UnsafeMutableRawPointer?
        unsafe edge_easy_get_pointer(pointer, CURLINFO_PRIVATE, &value)
        return unsafe value
    }

    /// Resets all options, for another transfer.
    func reset() {
        unsafe curl_easy_reset(pointer)
    }

    func dispose() {
        unsafe curl_easy_cleanup(pointer)
    }
}

/// A `curl_slist` of lines; it must outlive the transfer that uses it.
@safe
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        for line in lines {
            // If memory runs out, the list stays unchanged.
            if let longer = unsafe curl_slist_append(first, line) { unsafe first = longer }
        }
    }

    /// Creates a list of lines of arbitrary bytes; a line ends at its first NUL.
    init(bytes lines: [[UInt8]]) {
        for line in lines {
            let terminated = line.map { CChar(bitPattern: $0) } + [0]
            let longer = unsafe terminated.withUnsafeBufferPointer { unsafe curl_slist_append(first, $0.baseAddress) }
            if let longer = unsafe longer { unsafe first = longer }
        }
    }

    deinit {
        unsafe curl_slist_free_all(first)
    }
}

/// The libcurl loaded at run time, which may differ from the build-time version.
package struct CurlLibrary: Hashable, Sendable {
    /// The version, for example `7.88.1`.
    package var version: String
    /// The TLS library, for example `OpenSSL/3.0.22`; `nil` if there is none.
    package var tls: String?
    /// Whether it supports HTTP/2.
    package var hasHTTP2: Bool
    /// Whether it resolves names asynchronously; otherwise each look-up blocks all transfers.
    package var resolvesInThreads: Bool

    /// The loaded library.
    package static var current: CurlLibrary {
        func text(_ start: UnsafePointer<CChar>?) -> String? { unsafe start.map { unsafe String(cString: $0) } }
        // The first version of the struct contains all of these fields.
        let info = unsafe curl_version_info(CURLVERSION_FIRST)
        let features = unsafe Int(info?.pointee.features ?? 0)
        return unsafe CurlLibrary(
            version: text(info?.pointee.version) ?? "unknown",
            tls: text(info?.pointee.ssl_version),
            hasHTTP2: features & Int(CURL_VERSION_HTTP2) != 0,
            resolvesInThreads: features & Int(CURL_VERSION_ASYNCHDNS) != 0
        )
    }
}
