import HTTPSemantics
import TestSupport
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct DataLoaderTests {
    private func load(_ target: OriginTarget, limit: Int = 100, entityTag: String? = nil) async -> Result<
        TransferResponse, TransferError
    > {
        var options = TransferOptions(source: "fetch")
        options.limits.bytes = limit
        let request = TransferRequest(target, options: options, entityTag: entityTag)
        return await withCheckedContinuation { continuation in
            _ = DataLoader(time: ManualTime()).load(request) { continuation.resume(returning: $0) }
        }
    }

    @Test func `delivers the content with type, entity tag and lifetime`() async throws {
        let target = OriginTarget.data(try DataURL("data:image/png;base64,Zm9v"))
        let response = try await load(target).get()
        guard case .file(let body) = response.body else { throw TransferError.notFound }
        #expect(try body.bytes() == Array("foo".utf8) && body.digest == SHA256Digest(hashing: "foo"))
        #expect(response.head.status == 200 && response.head.fields["content-type"] == "image/png")
        #expect(response.head.fields["cache-control"] == "public, max-age=31536000, immutable")
        let entityTag = try #require(response.head.fields["etag"])
        #expect(try await load(target, entityTag: entityTag).get().head.status == 304)
        #expect(try await load(target, entityTag: "\"other\"").get().head.status == 200)
    }

    @Test func `the limit of bytes applies, and nothing but data is loaded`() async throws {
        let target = OriginTarget.data(try DataURL("data:,1234"))
        #expect(await load(target, limit: 3).failure == .tooLarge(limit: 3))
        #expect(await load(.file("a")).failure == .notFound)
        #expect(DataLoader().canLoad(target) && !DataLoader().canLoad(.file("a")))
    }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
