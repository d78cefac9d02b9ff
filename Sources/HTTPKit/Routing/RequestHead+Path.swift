/// The path and query of a request target, still encoded.
extension RequestHead {
    /// The path: everything before the first `?`; empty in absolute-form without a path, which means `/`.
    package func path(in bytes: Span<UInt8>) -> Range<Int> {
        pathAndQuery.lowerBound..<(mark(in: bytes) ?? pathAndQuery.upperBound)
    }

    /// The query: everything after the first `?`; `nil` if there is none.
    package func query(in bytes: Span<UInt8>) -> Range<Int>? {
        mark(in: bytes).map { $0 + 1..<pathAndQuery.upperBound }
    }

    private func mark(in bytes: Span<UInt8>) -> Int? {
        for index in pathAndQuery where bytes[index] == 0x3F { return index }
        return nil
    }
}
