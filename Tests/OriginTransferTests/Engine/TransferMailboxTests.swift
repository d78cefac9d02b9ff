import Testing

@testable import OriginTransfer

@Suite(.timeLimit(.minutes(1)))
struct TransferMailboxTests {
    @Test func `messages are taken once, in order, and none is posted after the end`() throws {
        let mailbox = try TransferMailbox()
        #expect(mailbox.post(.trim) && mailbox.post(.stop) && mailbox.hasNews)
        let taken = mailbox.take()
        guard taken.count == 2, case .trim = taken[0], case .stop = taken[1] else {
            Issue.record("\(taken)")
            return
        }
        #expect(!mailbox.hasNews && mailbox.take().isEmpty)
        #expect(mailbox.post(.trim) && mailbox.close().count == 1)
        #expect(!mailbox.post(.trim))
        #expect(mailbox.take().isEmpty)
        #expect(!mailbox.post(.trim), "taking does not open it again")
    }
}
