/// A buffer for samples, aligned for vectors and initialised to zero.
@safe
final class Samples<Element: BitwiseCopyable & AdditiveArithmetic> {
    /// Valid during the lifetime of this object.
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

    /// Copies values.
    convenience init(_ values: [Element]) {
        self.init(count: values.count)
        for (index, value) in values.enumerated() { unsafe start[index] = value }
    }

    deinit { unsafe UnsafeMutableRawPointer(start).deallocate() }
}

/// Fixed-point samples of 0–255 with six fractional bits.
enum FixedPoint {
    @inline(__always) static var fraction: UInt16 { 6 }

    /// Rounds a row to bytes, half to even; halves are frequent, and rounding them up would lighten images.
    static func round(_ row: UnsafePointer<UInt16>, to bytes: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let value = unsafe row[index]
            let isOdd = (value &>> fraction) & 1
            unsafe bytes[index] = UInt8(truncatingIfNeeded: (value &+ 31 &+ isOdd) &>> fraction)
        }
    }
}
