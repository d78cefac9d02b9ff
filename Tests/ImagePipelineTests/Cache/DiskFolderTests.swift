import Testing

@testable import ImagePipeline

@Suite(.timeLimit(.minutes(1)))
struct DiskFolderTests {
    private let folder = DiskFolder(path: "/var/cache/edgeprint/")
    private let key = CacheKey(hashing: "key")

    @Test func `fans files out over two levels of their key`() {
        let digits = key.description
        let digest = CacheKey(hashing: "body")
        #expect(
            folder.file(.originals, key, digest)
                == "/var/cache/edgeprint/originals/\(digits.prefix(2))/\(digits.dropFirst(2).prefix(2))/\(digits)-"
                + digest.description.prefix(16)
        )
    }

    @Test func `finds the key in its own names and in no others`() {
        let name = DiskFolder.name(key, key)
        #expect(DiskFolder.key(inName: name) == key)
        let others = [
            "", "readme", String(name.dropLast()), name + "0", name.uppercased(), name.replacing("-", with: "0"),
        ]
        for other in others {
            #expect(DiskFolder.key(inName: other) == nil, "\(other)")
        }
        #expect(DiskFolder.isFan("0f"))
        #expect(!DiskFolder.isFan("0F") && !DiskFolder.isFan("f") && !DiskFolder.isFan("0ff"))
    }
}
