import CacheTestSupport
import Cluster
import HTTPCache
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreObjectTests {
    private let body = CacheFixture.bytes(500)
    private let place = SharedPlace(sequence: 7, log: "0123456789abcdef")

    private var record: OriginRecord {
        var record = CacheFixture.origin(1, body: body)
        record.tags = ["a", "b"]
        return record
    }

    private func meta() -> [UInt8] {
        StoreObject.encode(StoreObject.Meta(record: record, confirmedAt: 5_000, place: place))
    }

    @Test func `a record, the time of its validation and its place are read as they were written`() {
        guard case .value(let found) = StoreObject.meta(meta(), of: record.key) else {
            Issue.record("not read")
            return
        }
        #expect(found.record == record && found.confirmedAt == 5_000 && found.place == place)
    }

    @Test func `a result is read as it was written`() {
        let bytes = CacheFixture.bytes(300, seed: 2)
        let plan = CacheKey(hashing: "plan")
        let variant = CacheFixture.variant(320, of: record, bytes: bytes)
        let object = StoreObject.encode(StoreObject.Result(record: variant, bytes: bytes, place: place), plan: plan)
        guard case .value(let found) = StoreObject.result(object, plan: plan, of: record.digest) else {
            Issue.record("not read")
            return
        }
        #expect(found.record == variant && found.bytes == bytes && found.place == place)
        #expect(Self.isDamaged(StoreObject.result(object, plan: CacheKey(hashing: "other"), of: record.digest)))
        #expect(Self.isDamaged(StoreObject.result(object, plan: plan, of: CacheKey(hashing: "other"))))
    }

    @Test func `a mezzanine is read as it was written, and is no result`() {
        let bytes = CacheFixture.bytes(300, seed: 2)
        let plan = CacheKey(hashing: "plan")
        let variant = CacheFixture.variant(320, of: record, bytes: bytes)
        let content = StoreObject.Result(record: variant, bytes: bytes, place: place)
        let object = StoreObject.encode(content, as: .mezzanine, plan: plan)
        guard case .value(let found) = StoreObject.result(object, as: .mezzanine, plan: plan, of: record.digest) else {
            Issue.record("not read")
            return
        }
        #expect(found.record == variant && found.bytes == bytes && found.place == place)
        #expect(Self.isDamaged(StoreObject.result(object, plan: plan, of: record.digest)))
        #expect(
            StoreObject.key(.mezzanine, plan, of: record.digest) != StoreObject.key(.result, plan, of: record.digest)
        )
    }

    @Test func `no changed, missing or added byte is accepted`() {
        let whole = meta()
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            // A digit of the version may become a higher one.
            switch StoreObject.meta(changed, of: record.key) {
            case .value: Issue.record("byte \(index)")
            case .newer, .damaged: break
            }
            #expect(Self.isDamaged(StoreObject.meta(Array(whole[..<index]), of: record.key)))
        }
        #expect(Self.isDamaged(StoreObject.meta(whole + [0], of: record.key)))
        #expect(Self.isDamaged(StoreObject.meta([], of: record.key)))
    }

    @Test func `an object under another key is not accepted`() {
        #expect(Self.isDamaged(StoreObject.meta(meta(), of: CacheKey(hashing: "other"))))
    }

    @Test func `an object of a later version is recognised, whatever follows`() {
        let later = Array("edgeprint-shared/2\nunknown".utf8)
        guard case .newer = StoreObject.meta(later, of: record.key) else {
            Issue.record("not recognised")
            return
        }
    }

    @Test(arguments: [Int64.max, .min, 1 << 40, -1 << 40])
    func `a time that no clock shows is damage`(time: Int64) {
        let object = StoreObject.encode(StoreObject.Meta(record: record, confirmedAt: time, place: place))
        #expect(Self.isDamaged(StoreObject.meta(object, of: record.key)))
    }

    @Test func `an object whose metadata this release cannot read is of a later one`() {
        let bytes = CacheFixture.bytes(300, seed: 2)
        let plan = CacheKey(hashing: "plan")
        let variant = CacheFixture.variant(320, of: record, bytes: bytes)
        let object = StoreObject.encode(StoreObject.Result(record: variant, bytes: bytes, place: place), plan: plan)
        func refuse(_ refused: DiskClass) -> (DiskClass, [UInt8]) -> Bool { { diskClass, _ in diskClass != refused } }
        let meta = StoreObject.meta(meta(), of: record.key, isReadable: refuse(.originals))
        let result = StoreObject.result(object, plan: plan, of: record.digest, isReadable: refuse(.variants))
        guard case .newer = meta, case .newer = result else {
            Issue.record("not recognised")
            return
        }
        // Damage is damage.
        let other = CacheKey(hashing: "other")
        #expect(Self.isDamaged(StoreObject.meta(self.meta(), of: other, isReadable: refuse(.originals))))
    }

    private static func isDamaged<Value>(_ found: StoreObject.Found<Value>) -> Bool {
        if case .damaged = found { true } else { false }
    }
}
