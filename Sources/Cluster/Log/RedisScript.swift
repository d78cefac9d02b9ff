import CCrypto

/// A Lua script that the engine runs as one step: no other command comes between its calls.
///
/// Redis has all they use since 6.2.
struct RedisScript {
    /// The commands that a user of the engine must be allowed (ACL SETUSER), for the keys `{NAME}:*`; the last two for leases.
    static let permissions = [
        "eval", "evalsha", "select", "xread", "xadd", "xrange", "xrevrange", "hget", "hset", "hdel", "hgetall", "del",
        "info", "set", "get",
    ]

    let text: [UInt8]
    /// The SHA-1 of the text in hexadecimal digits, by which EVALSHA names it.
    let digest: [UInt8]

    private init(_ text: String) {
        self.text = Array((Self.common + text).utf8)
        var code = [UInt8](repeating: 0, count: 20)
        _ = unsafe EVP_Digest(self.text, self.text.count, &code, nil, EVP_sha1(), nil)
        let digits = Array("0123456789abcdef".utf8)
        digest = code.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// What all scripts begin with.
    ///
    /// Keys: the stream, the hash of nodes. ARGV[1]: a random mark, should the log begin.
    ///
    /// An absent or emptied stream begins with an entry 0-1, so that each place in a log has a mark. The log's identity is the
    /// mark in the hash, which goes with the nodes' statements, and the server's process and replication history: a process that
    /// was restarted and a replica that was promoted may lack the last entries without any trace.
    private static let common = """
        local function field(fields, name)
          for i = 1, #fields, 2 do if fields[i] == name then return fields[i + 1] end end
        end
        local function begin()
          redis.call('DEL', KEYS[1], KEYS[2])
          redis.call('XADD', KEYS[1], '0-1', 'mark', ARGV[1], 'prev', '')
        end
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
        if not last then
          begin()
          last = {'0-1', {'mark', ARGV[1]}}
        end
        local head = string.match(last[1], '^0%-(%d+)$')
        local mark = field(last[2], 'mark')
        if not head or not mark then return redis.error_reply('FOREIGN the stream has entries of another program') end
        local function identity()
          local log = redis.call('HGET', KEYS[2], 'log')
          if not log then
            log = ARGV[1]
            redis.call('HSET', KEYS[2], 'log', log)
          end
          local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
          return log .. '-' .. string.sub(string.match(info, 'run_id:(%w+)') or '', 1, 12)
            .. '-' .. string.sub(string.match(info, 'master_replid:(%w+)') or '', 1, 12)
        end

        """

    /// Adds an entry.
    ///
    /// ARGV[2]: its mark, [3]: payload, [4]: how many entries to keep, [5]: for a repetition, the last sequence
    /// before the first attempt. Returns sequence, mark and log.
    static let append = RedisScript(
        """
        if ARGV[5] ~= '' then
          local tail = redis.call('XRANGE', KEYS[1], '(0-' .. ARGV[5], '+', 'COUNT', 1000)
          for _, entry in ipairs(tail) do
            if field(entry[2], 'mark') == ARGV[2] then return {string.match(entry[1], '%d+$'), ARGV[2], identity()} end
          end
          if #tail == 1000 then return redis.error_reply('UNKNOWN too many entries since the first attempt') end
        end
        local function add()
          local next = string.format('%.0f', tonumber(head) + 1)
          local reply = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], '0-' .. next,
            'mark', ARGV[2], 'prev', mark, 'purge', ARGV[3])
          return next, reply
        end
        local next, reply = add()
        if type(reply) == 'table' and reply.err and string.find(reply.err, 'equal or smaller', 1, true) then
          -- The last entries were deleted by hand: their numbers cannot be used again.
          begin()
          head, mark = '1', ARGV[1]
          next, reply = add()
        end
        if type(reply) == 'table' and reply.err then return reply end
        return {next, ARGV[2], identity()}
        """
    )

    /// States what a node has applied.
    ///
    /// ARGV[2]: node, [3]: applied sequence, [4]: the log that it is of, [5]: beat. Returns the
    /// sequence and mark of the last entry, and the log.
    static let head = RedisScript(
        """
        local log = identity()
        redis.call('HSET', KEYS[2], ARGV[2], (ARGV[4] == log and ARGV[3] or '0') .. ':' .. ARGV[5])
        return {head, mark, log}
        """
    )

    /// Lists the nodes.
    ///
    /// ARGV[2…]: pairs of a node and the statement with which it is to be removed. Returns the log, its
    /// last sequence, and fields and values of the hash.
    static let nodes = RedisScript(
        """
        for i = 2, #ARGV, 2 do
          if redis.call('HGET', KEYS[2], ARGV[i]) == ARGV[i + 1] then redis.call('HDEL', KEYS[2], ARGV[i]) end
        end
        return {identity(), head, redis.call('HGETALL', KEYS[2])}
        """
    )
}
