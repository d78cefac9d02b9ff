import CacheTestSupport
import HTTPCache
import TestSupport
import Testing

/// What a node knows of the purges of others, by a clock that the test advances.
@Suite(.timeLimit(.minutes(1)))
struct PurgeProgressTests {
    private let time = ManualTime()

    private func progress(
        _ policy: PurgeProgress.OutOfTouch = .revalidate,
        sequence: Int64 = 0,
        era: Int64 = 0
    ) -> PurgeProgress {
        let place = PurgePlace(sequence: sequence, mark: "m\(sequence)")
        return PurgeProgress(policy, from: PurgePosition(place: place, era: era), time: time)
    }

    private func inTouch(_ progress: PurgeProgress, seconds: Int64 = 1) {
        progress.stayInTouch(until: time.monotonic + seconds * 1_000_000_000)
    }

    private func purge(_ progress: PurgeProgress, _ selection: PurgeSelection, at sequence: Int64) {
        progress.advance(to: PurgePlace(sequence: sequence, mark: "m\(sequence)"), by: Purge(selection))
    }

    private func subject(_ number: Int) -> PurgeSubject {
        PurgeSubject(origin: CacheFixture.key(number), source: "photos", url: "https://photos.test/\(number)")
    }

    @Test func `a node outside of a cluster trusts everything`() {
        let alone = PurgeProgress.alone
        #expect(alone.isInTouch && alone.trustsUnvalidated && !alone.isInCluster)
        #expect(alone.trust(PurgeStamp(sequence: 3, era: 9)) == .full)
        #expect(alone.stamp == PurgeStamp())
        #expect(alone.flightKey(CacheFixture.key(1)) == CacheFixture.key(1))
    }

    @Test func `a node in touch trusts what the log has covered, however old`() {
        let progress = progress(era: 4)
        #expect(!progress.isInTouch)
        inTouch(progress, seconds: 100)
        let stamp = progress.stamp
        #expect(stamp == PurgeStamp(sequence: 0, era: 4, beganAt: time.monotonic))
        time.advance(seconds: 99)
        #expect(progress.isInTouch && progress.trust(stamp) == .full)
        #expect(progress.trust(PurgeStamp(era: 4)) == .full)
        #expect(progress.trust(PurgeStamp(era: 3)) == .otherEra)
        time.advance(seconds: 1)
        #expect(!progress.isInTouch && progress.trust(stamp) == .outOfTouch)
        inTouch(progress)
        #expect(progress.trust(stamp) == .full)
        progress.loseTouch()
        #expect(progress.trust(stamp) == .outOfTouch)
    }

    @Test func `out of touch, responses are trusted for a second after they were requested`() {
        let progress = progress()
        let stamp = progress.stamp
        #expect(progress.trust(stamp) == .full)
        let arrival = time.monotonic
        time.advance(seconds: 1)
        #expect(progress.trust(stamp) == .outOfTouch)
        // A request that has waited arrived when the response was recent.
        #expect(progress.trust(stamp, asOf: arrival) == .full)
        #expect(progress.trust(PurgeStamp(era: 1, beganAt: time.monotonic)) == .outOfTouch)
    }

    @Test(arguments: [
        (PurgeProgress.OutOfTouch.serve, PurgeProgress.Trust.full, PurgeProgress.Trust.otherEra),
        (.revalidate, .outOfTouch, .outOfTouch), (.fail, .refused, .refused),
    ])
    func `each policy treats what a node out of touch has stored`(
        policy: PurgeProgress.OutOfTouch,
        own: PurgeProgress.Trust,
        other: PurgeProgress.Trust
    ) {
        let progress = progress(policy)
        #expect(progress.trust(PurgeStamp()) == own && progress.trust(PurgeStamp(era: 1)) == other)
        #expect(progress.trustsUnvalidated == (policy == .serve))
        inTouch(progress)
        #expect(progress.trust(PurgeStamp()) == .full && progress.trust(PurgeStamp(era: 1)) == .otherEra)
        #expect(progress.trustsUnvalidated)
    }

    @Test func `requests share flights only within a second while the node is out of touch`() {
        let (progress, key) = (progress(), CacheFixture.key(1))
        let first = progress.flightKey(key)
        #expect(first != key && first == progress.flightKey(key))
        time.advance(seconds: 1)
        #expect(progress.flightKey(key) != first && progress.flightKey(key) != key)
        inTouch(progress)
        #expect(progress.flightKey(key) == key)
    }

    @Test func `knows which purges followed a place`() {
        let progress = progress(sequence: 10)
        inTouch(progress)
        #expect(progress.covers(subject(1), since: 9) == nil && progress.covers(subject(1), since: 10) == false)
        purge(progress, .originals([CacheFixture.key(1), CacheFixture.key(2)]), at: 11)
        purge(progress, .tags(["red"]), at: 12)
        purge(progress, .within("shop", .source("shop/photos")), at: 13)
        #expect(progress.sequence == 13 && progress.place.mark == "m13")
        #expect(progress.covers(subject(1), since: 10) == true && progress.covers(subject(2), since: 10) == true)
        // Its tags are not known.
        #expect(progress.covers(subject(1), since: 11) == nil && progress.covers(subject(3), since: 10) == nil)
        #expect(progress.covers(subject(1), since: 12) == false && progress.covers(subject(1), since: 99) == false)
        let known = subject(3).known(tags: ["red", "blue"], confirmedAt: 5, staleAt: 50)
        #expect(progress.covers(known, since: 11) == true && progress.covers(known, since: 12) == false)
        // An auxiliary image counts like the original.
        var made = subject(4).known(tags: [], confirmedAt: 5, staleAt: 50)
        made.auxiliaries = [subject(2).known(tags: [], confirmedAt: 5, staleAt: 50)]
        #expect(progress.covers(made, since: 10) == true && progress.covers(made, since: 11) == false)
    }

    @Test func `a purge of an original again counts from the last one`() {
        let progress = progress()
        for sequence in 1...3 { purge(progress, .originals([CacheFixture.key(1)]), at: Int64(sequence)) }
        #expect(progress.covers(subject(1), since: 2) == true && progress.covers(subject(1), since: 3) == false)
    }

    @Test func `a fresh response that purges may concern counts as stale when its origin fails`() {
        let time = ManualTime(wallSeconds: 1_010)
        let progress = PurgeProgress(.revalidate, from: nil, time: time)
        progress.begin(era: 7, at: PurgePlace(sequence: 1, mark: "m"))
        progress.stayInTouch(until: time.monotonic + PurgeProgress.patience)
        for (era, isUsable) in [(Int64(7), true), (6, false)] {
            var record = CacheFixture.origin(1, body: [1])
            record.stamp = PurgeStamp(sequence: 1, era: era)
            let state = OriginState(record, progress: progress)
            // It is fresh for 47 s more.
            #expect(state.isUsableIfError(at: 1_010, default: 0) == isUsable)
            #expect(state.isUsableIfError(at: 1_010, default: 1))
        }
    }

    @Test func `the history is bounded, and forgets the oldest purges`() {
        let progress = progress()
        for sequence in 1...70_000 { purge(progress, .originals([CacheFixture.key(sequence)]), at: Int64(sequence)) }
        #expect(progress.covers(subject(1), since: 0) == nil)
        #expect(progress.covers(subject(69_999), since: 70_000 - 65_536) == true)
        #expect(progress.covers(subject(69_999), since: 70_000 - 65_537) == nil)
        // Large selections count by their size.
        let long = PurgeSelection.source(String(repeating: "x", count: 1 << 20))
        for sequence in 70_001...70_020 { purge(progress, long, at: Int64(sequence)) }
        #expect(progress.covers(subject(1), since: 70_000) == nil)
        #expect(progress.covers(subject(1), since: 70_010) == false)
    }

    @Test func `a new era distrusts everything before, and forgets the history`() {
        let progress = progress(sequence: 5, era: 7)
        inTouch(progress)
        let stamp = progress.stamp
        purge(progress, .all, at: 6)
        let era = progress.nextEra
        #expect(era != 7 && era > 0)
        progress.begin(era: era, at: PurgePlace(sequence: 2, mark: "other"))
        #expect(progress.trust(stamp) == .otherEra && progress.trust(progress.stamp) == .full)
        #expect(progress.stamp == PurgeStamp(sequence: 2, era: era, beganAt: time.monotonic))
        #expect(progress.covers(subject(1), since: 1) == nil && progress.covers(subject(1), since: 2) == false)
    }
}
