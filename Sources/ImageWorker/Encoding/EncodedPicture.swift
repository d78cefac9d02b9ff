import CVips

/// The bytes of an encoded image, in memory of a library or in an array.
@safe
final class EncodedPicture {
    /// The library's memory; empty if the bytes are in `own`.
    private let library: UnsafeRawBufferPointer
    private let release: (UnsafeMutableRawPointer?) -> Void
    private let own: [UInt8]

    /// Takes ownership of memory that `release` frees, by default with `g_free`.
    init(
        owning bytes: UnsafeRawBufferPointer,
        release: @escaping (UnsafeMutableRawPointer?) -> Void = { unsafe g_free($0) }
    ) {
        unsafe library = bytes
        unsafe self.release = release
        own = []
    }

    /// Holds an array.
    init(_ bytes: [UInt8]) {
        unsafe library = UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe release = { _ in }
        own = bytes
    }

    deinit {
        unsafe release(UnsafeMutableRawPointer(mutating: library.baseAddress))
    }

    var count: Int { unsafe library.count + own.count }

    /// Calls `body` with the bytes, which are valid during the call.
    @safe
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        guard own.isEmpty else {
            return try unsafe own.withUnsafeBufferPointer { bytes throws(Failure) in
                try unsafe body(UnsafeRawBufferPointer(bytes))
            }
        }
        return try unsafe body(library)
    }

    /// Calls `body` with a bounds-checked view of the bytes.
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withBytes { bytes throws(Failure) in try body(unsafe bytes.bindMemory(to: UInt8.self).span) }
    }

    /// A copy of the bytes.
    var copy: [UInt8] { withBytes { bytes in unsafe Array(bytes) } }
}
