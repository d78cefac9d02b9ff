import HTTPCache
import ImagePipeline

/// A stage in the access log; its name there never changes.
enum LoggedStage: CaseIterable {
    /// The transfer from the origin, and its phases.
    case fetch, resolve, connect, secure, firstByte
    /// Waiting for a worker, and the worker's stages.
    case queue, decode, transform, encode
    case store

    /// The name of the field.
    var label: StaticString {
        switch self {
        case .fetch: "fetch"
        case .resolve: "fetch_dns"
        case .connect: "fetch_connect"
        case .secure: "fetch_tls"
        case .firstByte: "fetch_first_byte"
        case .queue: "queue"
        case .decode: "decode"
        case .transform: "transform"
        case .encode: "encode"
        case .store: "store"
        }
    }
}

extension StageTimings {
    /// The duration of a stage in microseconds; 0 if it did not run.
    subscript(stage: LoggedStage) -> UInt32 {
        switch stage {
        case .fetch: fetch
        case .resolve: phases.resolve
        case .connect: phases.connect
        case .secure: phases.secure
        case .firstByte: phases.firstByte
        case .queue: queue
        case .decode: decode
        case .transform: transform
        case .encode: encode
        case .store: store
        }
    }
}
