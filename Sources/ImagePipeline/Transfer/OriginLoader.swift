/// Loads originals from wherever their source keeps them: picks the file loader or the transfer engine.
package struct OriginLoader: OriginLoading {
    private let files: any OriginLoading
    private let transfers: any OriginLoading

    /// Creates a loader over two others.
    package init(files: any OriginLoading, transfers: any OriginLoading) {
        self.files = files
        self.transfers = transfers
    }

    /// Starts a load; what the loader chosen says of threads holds.
    package func load(
        _ fetch: OriginFetch,
        completion: @escaping @Sendable (Result<OriginResponse, PipelineError>) -> Void
    ) -> any LoadHandle {
        switch fetch.source.location {
        case .file: files.load(fetch, completion: completion)
        case .http, .bucket, .remote: transfers.load(fetch, completion: completion)
        }
    }
}
