/// Memory for rows of samples, aligned for vectors; all zero at first.
@safe
final class Samples<Element: BitwiseCopyable & AdditiveArithmetic> {
    /// Valid as long as this object lives.
    let start: UnsafeMutablePointer<Element>
    let count: Int

    init(count: Int) {
        self.count = count
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: max(1, count) * MemoryLayout<Element>.stride,
            alignment: 64
        )
        unsafe start = bytes.bindMemory(to: Element.self, capacity: max(1, count))
        unsafe start.initialize(repeating: .zero, count: max(1, count))
    }

    deinit { unsafe UnsafeMutableRawPointer(start).deallocate() }
}

/// Samples of 0–255 with six bits behind the point.
enum FixedPoint {
    @inline(__always) static var fraction: UInt16 { 6 }

    /// Bytes of a row, rounded half to even: halves are frequent, and rounded up they would make pictures lighter.
    static func round(_ row: UnsafePointer<UInt16>, to bytes: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let value = unsafe row[index]
            let isOdd = (value &>> fraction) & 1
            unsafe bytes[index] = UInt8(truncatingIfNeeded: (value &+ 31 &+ isOdd) &>> fraction)
        }
    }
}
