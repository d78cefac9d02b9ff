import HTTPKit
import OriginTransfer

/// The content of `PUT /original`: hashed and written to a file as it arrives.
final class PushedBody: RequestBodySink {
    private let sink: BodySink?
    private var failure: TransferError?

    /// Creates an empty body.
    ///
    /// - Parameters:
    ///   - limit: the maximum bytes.
    ///   - folder: the folder on disk for the unnamed file; a memory file is used if it is `nil` or refuses.
    init(limit: Int, folder: String?) {
        do throws(TransferError) {
            sink = try BodySink(limit: limit, folder: folder)
        } catch {
            sink = nil
            failure = error
        }
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        do throws(TransferError) { try unsafe sink?.append(bytes) } catch { failure = error }
    }

    /// The complete body, or the reason why it could not be kept; call it once.
    func finish() -> Result<TransferBody, TransferError> {
        if let failure { return .failure(failure) }
        return Result { () throws(TransferError) in
            guard let sink else { throw .overloaded("there is no file for the body") }
            return try sink.finish()
        }
    }
}
