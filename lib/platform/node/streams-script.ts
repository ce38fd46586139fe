/** How long the events of an account without new ones stay in Redis. */
export const eventTtlMs = 7 * 86_400_000

export const streamKeyOf = (accountId: string) => `live:{${accountId}}`
export const eventKeysOf = (accountId: string) => `live:{${accountId}}:keys`

/** How long a transient event waits for a process that reads slowly. */
export const broadcastTtlMs = 60_000
export const broadcastKeyOf = (accountId: string) => `live:{${accountId}}:now`

/**
 * A script that adds events to an account's stream, except those whose key was already added. `KEYS` are the
 * stream and the sorted set of the stored events' keys; `ARGV` the time, the limits of stored events and of
 * keys, their time to live in milliseconds, and then key, event and data of each. The id of an entry is a
 * number that grows by one: `<number>-0`. The first is the time in milliseconds, so that a stream that was
 * lost or has expired continues with higher ids. Each entry has the number of the first as `first`.
 */
export const publishScript = `
local stream, keys = KEYS[1], KEYS[2]
local now, limit, keyLimit, ttl = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local newest = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
local first, last = now, now - 1
if newest then
  last = tonumber(string.match(newest[1], '^%d+'))
  first = tonumber(newest[2][2])
end
for i = 5, #ARGV, 3 do
  if not redis.call('ZSCORE', keys, ARGV[i]) then
    last = last + 1
    local id = string.format('%.0f', last)
    redis.call('XADD', stream, 'MAXLEN', limit, id .. '-0', 'first', string.format('%.0f', first), 'event', ARGV[i + 1], 'data', ARGV[i + 2])
    redis.call('ZADD', keys, id, ARGV[i])
  end
end
redis.call('ZREMRANGEBYRANK', keys, 0, -keyLimit - 1)
redis.call('PEXPIRE', stream, ttl)
redis.call('PEXPIRE', keys, ttl)
return 'OK'`
