import ImagePlan
import LinuxSystem
import OriginTransfer

/// Examines the beginning of an image while the rest of it arrives, so that other content is not downloaded.
///
/// Used on the loader's thread.
final class ImageExamination: Sendable {
    private let source: SourceRule
    private let error = Lock<PipelineError?>(nil)

    /// Bytes of the first examination; the sniffer asks for more if it needs them.
    private static let firstLook = 4096

    init(of source: SourceRule) { self.source = source }

    /// The text of refusals for the loader; `refusal` has the reason.
    static let reason = "the content is not accepted"

    /// Why the content was refused; `nil` if it was not.
    var refusal: PipelineError? { error.withLock { $0 } }

    /// The inspection for the loader.
    var inspection: TransferRequest.Inspection {
        TransferRequest.Inspection(first: Self.firstLook) { [self] beginning, expected in
            do throws(PipelineError) {
                // Of a body of unknown length, everything that its header announces may follow.
                switch try OriginalHeader.examine(beginning, of: expected ?? .max, from: source) {
                case .needs(let wanted):
                    return .needs(min(max(wanted, beginning.count * 2), expected ?? .max))
                case .found(let header):
                    if let refusal = HeaderGate.refusal(of: header.format, source: source) { throw refusal }
                    return .accepted
                }
            } catch let refusal {
                error.withLock { $0 = refusal.concealed(by: source) }
                return .refused(Self.reason)
            }
        }
    }
}
