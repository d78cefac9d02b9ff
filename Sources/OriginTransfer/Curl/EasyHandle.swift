package import CCurl

/// A typed wrapper of a libcurl easy handle.
///
/// Confined to one thread; freed by `dispose`.
@safe
package struct EasyHandle {
    let pointer: UnsafeMutableRawPointer

    /// Creates a handle; `nil` if out of memory.
    package init?() {
        guard let pointer = unsafe curl_easy_init() else { return nil }
        unsafe self.pointer = pointer
    }

    /// Wraps a handle from a callback or message of libcurl.
    init(_ pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = pointer
    }

    /// Sets a numeric option.
    package func set(_ option: CURLoption, _ value: Int) {
        unsafe edge_easy_set_long(pointer, option, value)
    }

    /// Sets a string option; libcurl copies the text.
    package func set(_ option: CURLoption, _ value: String) {
        unsafe edge_easy_set_string(pointer, option, value)
    }

    /// Sets an option of type `curl_off_t`.
    func set(_ option: CURLoption, offset: Int) {
        unsafe edge_easy_set_offset(pointer, option, curl_off_t(offset))
    }

    /// Sets a pointer option; the pointer must stay valid as long as the handle may use it.
    package func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
        unsafe edge_easy_set_pointer(pointer, option, value)
    }

    /// Sets a list of lines, which must outlive the transfer.
    package func set(_ option: CURLoption, _ value: HeaderList?) {
        unsafe edge_easy_set_list(pointer, option, value?.first)
    }

    /// Returns a value of type `long`.
    package func long(_ info: CURLINFO) -> Int {
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

    /// Transfers on the calling thread, which waits for the end.
    package func perform() -> CURLcode {
        unsafe curl_easy_perform(pointer)
    }

    /// Frees the handle.
    package func dispose() {
        unsafe curl_easy_cleanup(pointer)
    }
}
