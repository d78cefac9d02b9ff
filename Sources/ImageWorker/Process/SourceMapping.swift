import Glibc
import ImagePlan
import LinuxSystem

/// The bytes of a source, mapped read-only from a job's descriptor.
///
/// No other file is opened for a job. The mapping must outlive every raster made from it.
@safe
final class SourceMapping {
    let bytes: UnsafeRawBufferPointer
    /// The length of the file in bytes; less than the mapped bytes if the file was compressed.
    let fileLength: Int
    /// The bytes that decoders read instead.
    private var correction: SourceMapping?

    /// The bytes for a decoder: the corrected ones if there are any.
    var decodable: UnsafeRawBufferPointer { unsafe correction?.decodable ?? bytes }

    /// Maps `length` bytes from offset 0 and closes the descriptor.
    ///
    /// - Throws: `WorkerReply.Failure.worker` if the file is shorter or cannot be mapped.
    init(descriptor: CInt, length: Int) throws(WorkerReply.Failure) {
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size >= length, length > 0 else {
            throw .worker("the source is shorter than stated")
        }
        // MAP_POPULATE avoids a page fault for every 64 KiB.
        let flags = MAP_PRIVATE | CInt(MAP_POPULATE)
        let address = unsafe mmap(nil, length, PROT_READ, flags, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .worker("the source cannot be mapped")
        }
        unsafe bytes = UnsafeRawBufferPointer(start: address, count: length)
        fileLength = length
    }

    /// Copies bytes that were made in this process.
    ///
    /// - Parameter fileLength: the length of the file that they derive from; `nil` without one.
    /// - Throws: `WorkerReply.Failure.worker` without enough memory.
    init(copying source: UnsafeRawBufferPointer, fileLength: Int? = nil) throws(WorkerReply.Failure) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let address = unsafe mmap(nil, max(1, source.count), PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .worker("out of memory for a copy")
        }
        unsafe UnsafeMutableRawBufferPointer(start: address, count: source.count).copyMemory(from: source)
        unsafe bytes = UnsafeRawBufferPointer(start: address, count: source.count)
        self.fileLength = fileLength ?? source.count
    }

    /// Sets the result of `body` as the bytes that decoders read; `nil` changes nothing.
    ///
    /// - Throws: `WorkerReply.Failure.worker` without enough memory.
    func correct(_ body: (Span<UInt8>) -> [UInt8]?) throws(WorkerReply.Failure) {
        guard let corrected = withSpan({ bytes in body(bytes) }) else { return }
        correction = try unsafe corrected.span.bytes.withUnsafeBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes, fileLength: fileLength)
        }
    }

    /// Calls `body` with a bounds-checked view of the bytes.
    func withSpan<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        let buffer = unsafe bytes.bindMemory(to: UInt8.self)
        return try body(unsafe buffer.span)
    }

    deinit {
        unsafe munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), max(1, bytes.count))
    }
}

extension SourceMapping {
    /// Expands compressed SVG.
    ///
    /// The result must be markup: librsvg would expand data compressed twice without a limit.
    /// - Parameter limit: the maximum number of bytes after expansion.
    /// - Throws: `WorkerReply.Failure`: `.broken` for damaged data or anything but SVG, `.refused` above the limit.
    func expanded(atMost limit: Int) throws(WorkerReply.Failure) -> SourceMapping {
        let expansion = withSpan { bytes in GzipExpansion(of: bytes, atMost: limit) }
        switch expansion.end {
        case .complete: break
        case .cut: throw .broken("the compressed markup ends early")
        case .damaged: throw .broken("the compressed markup is damaged")
        case .full: throw .refused("larger than \(limit) bytes when expanded (limits.source-bytes)")
        }
        guard SVGCoder().canDecode(from: expansion.bytes.span) else {
            throw .broken("the compressed data is not an SVG")
        }
        let length = fileLength
        return try unsafe expansion.bytes.span.bytes.withUnsafeBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes, fileLength: length)
        }
    }
}

extension ImageFormat {
    /// The format after expansion.
    var expanded: ImageFormat { self == .svgz ? .svg : self }
}
