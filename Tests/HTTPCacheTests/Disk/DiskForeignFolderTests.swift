import CacheTestSupport
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct DiskForeignFolderTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/cache" }

    init() throws {
        folder = try TemporaryFolder()
        try SystemFiles().makeFolder(folder.path + "/cache")
    }

    private func put(_ name: String, _ text: String) throws {
        try CacheFixture.write(Array(text.utf8), to: path + "/" + name)
    }

    @Test(arguments: [
        "Signature: 8a477f597d28d172789f06886806bc55\n# This file is a cache directory tag created by another program.\n",
        "",
    ])
    func `does not change another program's cache, with or without a tag`(tag: String) throws {
        if !tag.isEmpty { try put("CACHEDIR.TAG", tag) }
        try SystemFiles().makeFolder(path + "/tmp")
        try put("tmp/theirs", "precious")
        #expect(throws: DiskStoreError.self) { try DiskStore.forTest(path) }
        #expect(TemporaryFolder.names(in: path + "/tmp") == ["theirs"])
    }

    @Test func `does not change a foreign index`() throws {
        try put("index.sqlite", "something else")
        #expect(throws: DiskStoreError.self) { try DiskStore.forTest(path) }
    }

    @Test func `uses a tagged folder without conflicting names`() throws {
        try put("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        try put("readme", "theirs")
        let store = try DiskStore.forTest(path)
        store.close()
        try DiskStore.forTest(path).close()
        #expect(TemporaryFolder.names(in: path).contains("readme"))
    }
}
