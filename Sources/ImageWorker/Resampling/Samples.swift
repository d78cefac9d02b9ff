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
