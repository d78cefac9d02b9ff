import CCurl

/// A `curl_slist` of lines; it must outlive the transfer that uses it.
@safe
package final class HeaderList {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    /// Creates a list; libcurl copies the lines.
    package init(_ lines: [String]) {
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
