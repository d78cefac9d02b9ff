import HTTPCache
package import HTTPSemantics
import LinuxSystem
package import OriginTransfer

/// An original that was sent to the daemon instead of being fetched.
package struct PushedOriginal: Sendable {
    let body: OriginBody
    let fields: FieldLines

    /// Creates an original from a body.
    ///
    /// - Parameter fields: the fields that an origin would send with it, such as `Cache-Control` and `ETag`.
    /// - Throws: `.overloaded` without a digest.
    package init(_ body: TransferBody, fields: FieldLines) throws(PipelineError) {
        self.body = try OriginBody(body)
        self.fields = fields
    }
}

/// Delivers a pushed original to an exchange in place of the origin's response.
struct PushedLoader: ResponseLoading {
    /// A load that has ended.
    private struct Ended: CancellableLoad {
        let received: Int
        var expected: Int? { received }
        func waitersChanged() {}
        func cancel() {}
    }

    let original: PushedOriginal
    let time: any TimeSource

    func load(
        _ fetch: CacheFetch<OriginRequest>,
        arrival: (@Sendable (FetchedResponse) -> Void)?,
        completion: @escaping @Sendable (Result<FetchedResponse, PipelineError>) -> Void
    ) -> any CancellableLoad {
        let now = time.wallSeconds
        completion(
            .success(
                FetchedResponse(
                    status: 200,
                    fields: original.fields,
                    content: .file(original.body),
                    requestTime: now,
                    responseTime: now
                )
            )
        )
        return Ended(received: original.body.length)
    }
}
