import Glibc
import HTTPSemantics
import ImagePipeline
import LinuxSystem
import OriginTransfer
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct OriginLoaderTests {
    /// A loader that fails every load with its own name.
    private struct Named: TransferLoading {
        let name: String
        let accepts: @Sendable (OriginTarget) -> Bool

        func canLoad(_ target: OriginTarget) -> Bool { accepts(target) }

        func load(
            _ request: TransferRequest,
            arrival: (@Sendable (TransferResponse) -> Void)?,
            completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
        ) -> any LoadHandle {
            completion(.failure(.unreachable("\(name) \(request.target.text)")))
            return EndedLoad()
        }
    }

    private static let loaders: [any TransferLoading] = [
        Named(name: "files") { if case .file = $0 { true } else { false } },
        Named(name: "transfers") { $0.url != nil },
    ]

    @Test func `chooses the loader that can load the target`() async throws {
        let loader = OriginLoader(LoaderRegistry(Self.loaders))
        let url = OriginTarget.url(try OriginURL("http://a/x"))
        for (target, told) in [(OriginTarget.file("x"), "files x"), (url, "transfers http://a/x")] {
            let fetch = OriginFetch(target: target, source: SourceRule(name: "s", location: .remote))
            #expect(await loader.failure(fetch) == .originUnreachable(told))
        }
    }

    @Test func `of several loaders the last registered one loads, and without one nothing is found`() async throws {
        let source = SourceRule(name: "s", location: .remote)
        let fetch = OriginFetch(target: .url(try OriginURL("http://a/x")), source: source)
        let more = LoaderRegistry(Self.loaders + [Named(name: "new") { $0.url != nil }])
        #expect(await OriginLoader(more).failure(fetch) == .originUnreachable("new http://a/x"))
        let data = OriginFetch(target: .data(try DataURL("data:,x")), source: source)
        #expect(await OriginLoader(LoaderRegistry(Self.loaders)).failure(data) == .originNotFound)
        let all = LoaderRegistry(Self.loaders + [DataLoader()])
        #expect(await OriginLoader(all).failure(data) == nil)
        #expect(all.loader(for: .file("x")) is Named)
    }
}
