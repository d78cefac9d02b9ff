import HTTPSemantics
import LinuxSystem
import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct LoadTicketTests {
    private final class Owner: Sendable {
        let ticket = Lock<LoadTicket?>(nil)
        let statuses = Lock<[Int]>([])
    }

    @Test func `interim responses are passed on until the completion, which releases the closures`() throws {
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            var request = TransferRequest(
                .url(try OriginURL("http://a.test/")),
                options: TransferOptions(source: "a")
            )
            request.interim = { response in owner.statuses.withLock { $0.append(response.status) } }
            let ticket = LoadTicket(
                request,
                created: 0,
                onCancel: { _ in },
                completion: { _ in owner.ticket.withLock { _ in } }
            )
            owner.ticket.withLock { $0 = ticket }
            for status in [103, 102] { ticket.announce(InterimResponse(status: status, fields: FieldLines())) }
            ticket.complete(.failure(.cancelled))
            ticket.announce(InterimResponse(status: 103, fields: FieldLines()))
            #expect(owner.statuses.withLock { $0 } == [103, 102])
        }
        #expect(released == nil)
    }
}
