import CacheTestSupport
import HTTPSemantics
import LinuxSystem
import TestSupport
import Testing

@testable import HTTPCache
@testable import ImagePipeline

/// A sequence of stores, replacements, revalidations and purges, with the permitted and required contents at each moment.
final class DiskScenario: Sendable {
    private struct State: Sendable {
        /// Digests that may be served.
        var allowed: Set<CacheKey> = []
        /// Committed variants, which no crash may lose.
        var required: [CacheKey: CacheKey] = [:]
        /// The places of the last purge that was begun, and of the last one that was committed.
        var begun: Int64 = 0
        var committed: Int64 = 0
    }

    let originals: Int
    let variants: Int
    let versions: Int
    private let state = Lock(State())

    init(originals: Int, variants: Int, versions: Int) {
        self.originals = originals
        self.variants = variants
        self.versions = versions
    }

    private func body(_ number: Int, _ version: Int) -> [UInt8] {
        CacheFixture.bytes(300 + number, seed: 1000 * version + number)
    }

    private func origin(_ number: Int, _ version: Int) -> OriginRecord {
        CacheFixture.origin(number, body: body(number, version), responseTime: Int64(1000 + version * 100))
    }

    private func picture(_ number: Int, _ width: Int, _ version: Int) -> [UInt8] {
        // The first two variants have equal bytes, which share a file.
        let content = width == 2 ? 1 : width
        return CacheFixture.bytes(200 + content, seed: 100_000 + 1000 * version + 10 * number + content)
    }

    private func variant(_ number: Int, _ width: Int, _ version: Int) -> VariantRecord {
        let bytes = picture(number, width, version)
        return CacheFixture.variant(100 * number + width, of: origin(number, version), bytes: bytes)
    }

    /// Runs the whole sequence.
    ///
    /// - Parameter between: called after each step, on the calling thread.
    func run(_ store: DiskStore, between: () throws -> Void = {}) throws {
        for version in 0..<versions {
            for number in 1...originals {
                try put(number, version, store)
                try between()
            }
            revalidate(1, version, store)
            try between()
            purge(min(2, originals), version, store)
            try between()
            if version % 2 == 1 { try put(min(2, originals), version, store) }
            try between()
            if version == 2 { purgeRaw(store) }
            putRaw(version, store)
            try between()
        }
    }

    /// An original of a new version with its variants.
    private func put(_ number: Int, _ version: Int, _ store: DiskStore) throws {
        forget(number)
        let (record, body) = (origin(number, version), body(number, version))
        allow(record.digest)
        store.store(origin: record, body: try CacheFixture.body(body))
        for width in 1...variants {
            let variant = variant(number, width, version)
            allow(variant.digest)
            store.store(variant: variant, origin: record, bytes: picture(number, width, version))
        }
        store.flush()
        guard store.health == .healthy else { return }
        state.withLock { state in
            for width in 1...variants {
                let variant = variant(number, width, version)
                state.required[variant.key] = variant.digest
            }
        }
    }

    /// A new version of the responses of a raw source's URL.
    private func raw(_ version: Int) -> RawContent? {
        let request = RawRig.request("scenario")
        let fetched = FetchedResponse(
            status: 200,
            fields: RawRig.lines(["Cache-Control: max-age=60", "X: \(version)"]),
            content: .bytes(CacheFixture.bytes(300 + version, seed: 500_000 + version)),
            requestTime: RawRig.now,
            responseTime: RawRig.now
        )
        let response = StoredResponse(fetched, to: request, policy: fetched.policy(for: request))
        return RawContent(RawEntry(PurgeSubject(request.origin), responses: [response]), of: request.origin)
    }

    private func putRaw(_ version: Int, _ store: DiskStore) {
        guard let content = raw(version) else { return }
        let record = content.encoded.record
        state.withLock { $0.required[record.key] = nil }
        allow(record.digest)
        store.store(raw: content)
        store.flush()
        guard store.health == .healthy else { return }
        state.withLock { $0.required[record.key] = record.digest }
    }

    private func purgeRaw(_ store: DiskStore) {
        let (key, gone) = (RawRig.request("scenario").key, Monitor<Bool?>(nil))
        state.withLock { $0.required[key] = nil }
        guard store.tombstone(.source("x")),
            store.remove(.source("x"), completion: { counts in gone.update { $0 = !counts.isDiskPending } }),
            gone.wait(until: { $0 }) == true
        else { return }
        let digests = (0..<versions).compactMap { raw($0)?.encoded.record.digest }
        state.withLock { state in for digest in digests { state.allowed.remove(digest) } }
    }

    private func revalidate(_ number: Int, _ version: Int, _ store: DiskStore) {
        var record = origin(number, version)
        record.freshness.responseTime += 50
        store.store(origin: record, body: nil)
        store.flush()
    }

    private func purge(_ number: Int, _ version: Int, _ store: DiskStore) {
        forget(number)
        let (purge, gone) = (Purge(.originals([origin(number, version).key])), Monitor<Bool?>(nil))
        let place = state.withLock { state in
            state.begun += 1
            return PurgePlace(sequence: state.begun, mark: "mark")
        }
        guard store.tombstone(purge),
            store.remove(purge, at: place, completion: { counts in gone.update { $0 = !counts.isDiskPending } })
        else { return }
        guard gone.wait(until: { $0 }) == true else { return }
        state.withLock { state in
            state.committed = place.sequence
            for version in 0..<versions {
                state.allowed.remove(origin(number, version).digest)
                for width in 1...variants { state.allowed.remove(variant(number, width, version).digest) }
            }
        }
    }

    private func allow(_ digest: CacheKey) {
        state.withLock { _ = $0.allowed.insert(digest) }
    }

    private func forget(_ number: Int) {
        state.withLock { state in
            for width in 1...variants { state.required[variant(number, width, 0).key] = nil }
        }
    }

    /// The contents that a store may return, and must return after a crash.
    struct Expectation: Sendable {
        fileprivate var allowed: Set<CacheKey>
        fileprivate var required: [CacheKey: CacheKey]
        fileprivate var places: ClosedRange<Int64>
    }

    /// The expectations at this moment.
    var expectation: Expectation {
        state.withLock {
            Expectation(allowed: $0.allowed, required: $0.required, places: $0.committed...$0.begun)
        }
    }

    /// The place of the last purge.
    var lastPlace: Int64 { state.withLock { $0.begun } }

    private func rawProblems(_ store: DiskStore, _ expectation: Expectation, isComplete: Bool) -> [String] {
        let request = RawRig.request("scenario")
        var problems: [String] = []
        let stored = store.raw(request.key)
        if let stored {
            let bytes = stored.file.read(count: stored.record.length) ?? []
            if CacheKey(hashing: bytes) != stored.record.digest { problems.append("raw: wrong bytes") }
            if !expectation.allowed.contains(stored.record.digest) { problems.append("raw: purged") }
            let entry = RawEntry(stored, about: PurgeSubject(request.origin))
            if entry?.responses.count != 1 { problems.append("raw: cannot be read") }
        }
        if isComplete, let digest = expectation.required[request.key], stored?.record.digest != digest {
            problems.append("raw: lost")
        }
        return problems
    }

    /// The violations of the expectations; empty if there are none.
    func problems(_ store: DiskStore, _ expectation: Expectation, isComplete: Bool) throws -> [String] {
        var problems = rawProblems(store, expectation, isComplete: isComplete)
        let place = store.position?.place.sequence ?? 0
        if place > expectation.places.upperBound || isComplete && place < expectation.places.lowerBound {
            problems.append("place \(place): not in \(expectation.places)")
        }
        for number in 1...originals {
            if let stored = store.origin(origin(number, 0).key), let file = stored.file {
                let bytes = try FileCopy.read(file.number, at: 0, count: stored.record.length)
                if CacheKey(hashing: bytes) != stored.record.digest {
                    problems.append("original \(number): wrong bytes")
                }
                if !expectation.allowed.contains(stored.record.digest) { problems.append("original \(number): purged") }
            }
            for width in 1...variants {
                let key = variant(number, width, 0).key
                let stored = store.variant(key)
                if let stored {
                    let bytes = try FileCopy.read(stored.file.number, at: 0, count: stored.record.length)
                    if CacheKey(hashing: bytes) != stored.record.digest {
                        problems.append("variant \(key): wrong bytes")
                    }
                    if stored.record.originDigest != stored.origin.digest { problems.append("variant \(key): void") }
                    if !expectation.allowed.contains(stored.record.digest) { problems.append("variant \(key): purged") }
                }
                if isComplete, let digest = expectation.required[key], stored?.record.digest != digest {
                    problems.append("variant \(key): lost")
                }
            }
        }
        return problems
    }
}
