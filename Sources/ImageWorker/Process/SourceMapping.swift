import Glibc
import ImagePlan
import LinuxSystem

/// The source's bytes, mapped read-only from the descriptor that came with the job.
///
/// Nothing else of the file system is ever opened for a job. Must outlive every raster made from it.
@safe
final class SourceMapping {
    let bytes: UnsafeRawBufferPointer
    /// Bytes of the file as it came: fewer than these where it was compressed.
    let fileLength: Int
    /// What a decoder reads in place of these bytes.
    private var correction: SourceMapping?

    /// The bytes for a decoder: the file's, or the corrected ones.
    var decodable: UnsafeRawBufferPointer { unsafe correction?.decodable ?? bytes }

    /// Maps `length` bytes from offset 0; closes the descriptor, which the mapping does not need.
    ///
    /// - Throws: `WorkerReply.Failure.worker` where the descriptor does not hold that many bytes.
    init(descriptor: CInt, length: Int) throws(WorkerReply.Failure) {
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size >= length, length > 0 else {
            throw .worker("the source is shorter than stated")
        }
        // MAP_POPULATE: one call instead of a fault for every 64 KiB.
        let flags = MAP_PRIVATE | CInt(MAP_POPULATE)
        let address = unsafe mmap(nil, length, PROT_READ, flags, descriptor, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .worker("the source cannot be mapped")
        }
        unsafe bytes = UnsafeRawBufferPointer(start: address, count: length)
        fileLength = length
    }

    /// Takes a copy of bytes that were made here, to be decoded.
    ///
    /// - Parameter fileLength: bytes of the file that they were made of; `nil` where there is none.
    /// - Throws: `WorkerReply.Failure.worker` where there is no room for them.
    init(copying source: UnsafeRawBufferPointer, fileLength: Int? = nil) throws(WorkerReply.Failure) {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let address = unsafe mmap(nil, max(1, source.count), PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let address = unsafe address, unsafe address != MAP_FAILED else {
            throw .worker("no room for a copy")
        }
        unsafe UnsafeMutableRawBufferPointer(start: address, count: source.count).copyMemory(from: source)
        unsafe bytes = UnsafeRawBufferPointer(start: address, count: source.count)
        self.fileLength = fileLength ?? source.count
    }

    /// Has decoders read what `body` makes of the bytes, unless that is `nil`; the bytes stay as they are.
    ///
    /// - Throws: `WorkerReply.Failure.worker` where there is no room for them.
    func correct(_ body: (Span<UInt8>) -> [UInt8]?) throws(WorkerReply.Failure) {
        guard let corrected = withSpan({ bytes in body(bytes) }) else { return }
        correction = try unsafe corrected.span.bytes.withUnsafeBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes, fileLength: fileLength)
        }
    }

    /// Gives the bytes to `body`, whose reads are checked.
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
    /// The SVG that compressed SVG holds.
    ///
    /// Only markup comes out: librsvg would expand what is compressed twice, and without a bound.
    /// - Parameter limit: the most bytes that it may hold.
    /// - Throws: `WorkerReply.Failure`: `.broken` for damaged bytes or anything but SVG in them, `.refused` for more than the limit.
    func expanded(atMost limit: Int) throws(WorkerReply.Failure) -> SourceMapping {
        let expansion = withSpan { bytes in GzipExpansion(of: bytes, atMost: limit) }
        switch expansion.end {
        case .complete: break
        case .cut: throw .broken("the compressed markup ends early")
        case .damaged: throw .broken("the compressed markup is damaged")
        case .full: throw .refused("more than \(limit) bytes when expanded; that is the limit (limits.source-bytes)")
        }
        guard SVGCoder().canDecode(from: expansion.bytes.span) else {
            throw .broken("what is compressed is no SVG")
        }
        let length = fileLength
        return try unsafe expansion.bytes.span.bytes.withUnsafeBytes { bytes throws(WorkerReply.Failure) in
            try unsafe SourceMapping(copying: bytes, fileLength: length)
        }
    }
}

extension ImageFormat {
    /// What an expanded source is.
    var expanded: ImageFormat { self == .svgz ? .svg : self }
}
