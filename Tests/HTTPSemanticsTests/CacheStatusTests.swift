import HTTPSemantics
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CacheStatusTests {
    @Test(arguments: [
        (CacheStatus.hit(.memory), "edgeprint; hit; detail=memory"),
        (.hit(.disk), "edgeprint; hit; detail=disk"),
        (.hit(.original), "edgeprint; hit; detail=original"),
        (.miss, "edgeprint; fwd=uri-miss"),
        (.collapsedMiss, "edgeprint; fwd=uri-miss; collapsed"),
        (.revalidated, "edgeprint; fwd=stale; fwd-status=304"),
        (.forwarded(.stale, status: 200, collapsed: true), "edgeprint; fwd=stale; fwd-status=200; collapsed"),
        (.forwarded(.uriMiss, status: 404, collapsed: false), "edgeprint; fwd=uri-miss; fwd-status=404"),
        (.hit(.stale), "edgeprint; hit; detail=stale"),
        (.hit(.negative), "edgeprint; hit; detail=negative"),
        (.fallback, "edgeprint; detail=fallback"), (.unasked(.refused), "edgeprint; detail=refused"),
        (.unasked(.overloaded), "edgeprint; detail=overloaded"),
        (.unasked(.onlyIfCached), "edgeprint; detail=only-if-cached"),
        (.unasked(.outOfTouch), "edgeprint; detail=out-of-touch"),
        (
            .forwarded(.outOfTouch, status: 304, collapsed: true),
            "edgeprint; fwd=stale; fwd-status=304; collapsed; detail=out-of-touch"
        ),
    ])
    func `writes each status`(status: CacheStatus, text: String) {
        #expect(status.text == text)
    }
}
