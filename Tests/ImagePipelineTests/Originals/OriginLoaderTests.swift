import Glibc
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OriginLoaderTests {
    /// A loader that fails every load with its own name.
    private struct Named: TransferLoading {
        struct Handle: LoadHandle {
            func cancel() {}
            var received: Int { 0 }
        }

        let name: String

        func load(
            _ request: TransferRequest,
            arrival: (@Sendable (TransferResponse) -> Void)?,
            completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
        ) -> any LoadHandle {
            completion(.failure(.unreachable("\(name) \(request.target.text)")))
            return Handle()
        }
    }

    @Test(arguments: [
        (SourceRule.Location.file(root: "/"), "files"), (.http(prefix: "http://a/"), "transfers"),
        (.remote, "transfers"),
    ])
    func `chooses the loader by the source's location`(_ location: SourceRule.Location, _ name: String) async {
        let loader = OriginLoader(files: Named(name: "files"), transfers: Named(name: "transfers"))
        let fetch = OriginFetch(target: .file("x"), source: SourceRule(name: "s", location: location))
        #expect(await loader.failure(fetch) == .originUnreachable("\(name) x"))
    }
}
