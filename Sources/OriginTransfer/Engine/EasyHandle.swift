import CCurl

/// A libcurl transfer handle, typed.
///
/// Confined to the transfer thread; freed by `dispose`.
@safe
struct EasyHandle {
    let pointer: UnsafeMutableRawPointer

    /// Creates a handle; `nil` without memory.
    init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
    }

    /// Takes the handle that libcurl names in a callback or message.
    init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = pointer
    }

    func set(_ option: CURLoption, _ value: Int) {
        unsafe edge_easy_set_long(pointer, option, value)
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) {
        unsafe edge_easy_set_string(pointer, option, value)
    }

    /// The pointer must stay valid as long as the handle may use it.
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

    /// Microseconds or bytes, whatever the information is counted in.
    func offset(_ info: CURLINFO) -> Int64 {
        var value: curl_off_t = 0
        unsafe edge_easy_get_offset(pointer, info, &value)
        return Int64(value)
    }

    /// What `CURLOPT_PRIVATE` was set to.
    var owner: UnsafeMutableRawPointer? {
        var value: UnsafeMutableRawPointer?
        unsafe edge_easy_get_pointer(pointer, CURLINFO_PRIVATE, &value)
        return unsafe value
    }

    /// Back to a new handle's options, for another transfer.
    func reset() {
        unsafe curl_easy_reset(pointer)
    }

    func dispose() {
        unsafe curl_easy_cleanup(pointer)
    }
}

/// A list of lines as libcurl wants it, freed with its last owner, who must outlive the transfer that uses it.
@safe
final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) {
        for line in lines {
            // Without memory the list stays as it was.
            if let longer = unsafe curl_slist_append(first, line) { unsafe first = longer }
        }
    }

    /// The same of bytes, which need not be text; a line ends at its first NUL.
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
