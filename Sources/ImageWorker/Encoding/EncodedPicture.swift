import CVips

/// The bytes of an encoded picture, in memory that a library allocated or that is our own.
@safe
final class EncodedPicture {
    /// Empty where the bytes are our own.
    private let library: UnsafeRawBufferPointer
    private let release: (UnsafeMutableRawPointer?) -> Void
    private let own: [UInt8]

    /// Takes over memory, which `release` gives back: GLib's where nothing is said.
    init(
        owning bytes: UnsafeRawBufferPointer,
        release: @escaping (UnsafeMutableRawPointer?) -> Void = { unsafe g_free($0) }
    ) {
        unsafe library = bytes
        unsafe self.release = release
        own = []
    }

    /// Keeps bytes.
    init(_ bytes: [UInt8]) {
        unsafe library = UnsafeRawBufferPointer(start: nil, count: 0)
        unsafe release = { _ in }
        own = bytes
    }

    deinit {
        unsafe release(UnsafeMutableRawPointer(mutating: library.baseAddress))
    }

    var count: Int { unsafe library.count + own.count }

    /// Gives the bytes to `body`, for as long as it runs.
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

    /// Gives the bytes to `body`, whose reads are checked.
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withBytes { bytes throws(Failure) in try body(unsafe bytes.bindMemory(to: UInt8.self).span) }
    }

    /// A copy of the bytes.
    var copy: [UInt8] { withBytes { bytes in unsafe Array(bytes) } }
}
