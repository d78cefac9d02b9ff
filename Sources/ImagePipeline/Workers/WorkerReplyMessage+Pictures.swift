import CLinux
import Glibc
import ImagePlan
import LinuxSystem

/// Why a worker's results are rejected.
enum ResultError: Error {
    case oversized
    /// The memory file is not sealed: the worker could change it during reading.
    case unsealed
    /// The memory file's size differs from the stated length.
    case size
    case read
}

extension WorkerReplyMessage {
    /// Copies the results of a successful reply into memory that the daemon owns.
    ///
    /// Memory files are read with `pread` and never mapped: truncating a mapped file raises SIGBUS in the daemon.
    func pictures(
        _ outputs: [WorkerReply.Output],
        message: [UInt8],
        descriptors: [SharedDescriptor],
        limit: Int
    ) throws(ResultError) -> [TransformResult.Picture] {
        var pictures: [TransformResult.Picture] = []
        for (output, payload) in zip(outputs, payloads) {
            guard output.length <= limit else { throw .oversized }
            switch payload {
            case .inline(let range):
                pictures.append(TransformResult.Picture(description: output, bytes: Array(message[range])))
            case .descriptor(let index):
                let bytes = try Self.readSealed(descriptors[index].number, length: output.length)
                pictures.append(TransformResult.Picture(description: output, bytes: bytes))
            }
        }
        return pictures
    }

    private static func readSealed(_ descriptor: CInt, length: Int) throws(ResultError) -> [UInt8] {
        guard edge_memfd_is_sealed(descriptor) == 1 else { throw .unsealed }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size == length else { throw .size }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, filled in
            while filled < length {
                let count = unsafe pread(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + filled },
                    length - filled,
                    off_t(filled)
                )
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                filled += count
            }
        }
        guard bytes.count == length else { throw .read }
        return bytes
    }
}
