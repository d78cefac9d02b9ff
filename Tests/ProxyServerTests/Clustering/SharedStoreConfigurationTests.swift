import Cluster
import HTTPCache
import ImagePipeline
import ImagePlan
import OriginTransfer
import Testing

@testable import ProxyServer

struct SharedStoreConfigurationTests {
    @Test func `objects with metadata that this release does not know are not read`() throws {
        var configuration = Configuration()
        #expect(SharedStore.Configuration(configuration, room: ObjectRoom()) == nil)
        configuration.cluster.store = "s3://pics/"
        let settings = try #require(SharedStore.Configuration(configuration, room: ObjectRoom()))
        let known = OriginMetadata(header: ImageHeader(format: .png, width: 4, height: 3))
        #expect(settings.isReadable(.originals, known.encoded))
        // Tag 6 is the format of an original; that of a variant, tag 5, is missing.
        var unknown = TaggedFields()
        unknown.put(6, Int64.max)
        for diskClass in DiskClass.allCases { #expect(!settings.isReadable(diskClass, unknown.bytes)) }
    }
}
