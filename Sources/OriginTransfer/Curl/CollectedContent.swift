import CCurl

/// The content of a response that a handle of libcurl collects in memory.
package final class CollectedContent {
    package fileprivate(set) var bytes: [UInt8] = []
    /// The maximum number of bytes; with more, the transfer ends with `CURLE_WRITE_ERROR`.
    fileprivate let limit: Int

    /// Creates an empty content.
    package init(limit: Int) { self.limit = limit }
}

extension EasyHandle {
    /// Collects the content of the response; the object must live as long as the handle may transfer.
    package func collect(into content: CollectedContent) {
        unsafe set(CURLOPT_WRITEDATA, Unmanaged.passUnretained(content).toOpaque())
        unsafe edge_easy_set_write_callback(pointer, CURLOPT_WRITEFUNCTION) { bytes, size, count, owner in
            guard let owner = unsafe owner else { return 0 }
            let content = unsafe Unmanaged<CollectedContent>.fromOpaque(owner).takeUnretainedValue()
            guard content.bytes.count + size * count <= content.limit else { return 0 }
            unsafe content.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size * count))
            return size * count
        }
    }
}
