import { createHash } from 'node:crypto'
import { parseRate } from '#vendors/cache/limiter.ts'
import { createRedisLimiter } from '#vendors/cache/redis-limiter.ts'
import type { Operation } from './database-baselines.ts'
import type { LoadRequest } from './load.ts'
import { notificationId, type SeededAccount, signInId, userId } from './seed.ts'

/** What an operation sends to PostgreSQL and to Redis. */
interface BareCalls {
  statement: { query: string; params: (string | number)[] }
  command: string[]
}

const limits = { list: '60/minute', 'unread-count': '120/minute', 'mark-read': '60/minute' } as const

/**
 * Create requests to the baseline Worker that make the same two calls as the operation, for one user after
 * the other.
 */
export async function createBareRequests(
  account: SeededAccount,
  operation: Operation,
): Promise<() => LoadRequest> {
  const command = await captureLimiterCommand(operation)
  let turn = 0
  return () => {
    turn = (turn % account.userCount) + 1
    const calls: BareCalls = {
      statement: createStatement(account, operation, turn),
      command: command.map((part) => part.replace('USER', String(turn))),
    }
    return { method: 'POST', path: '/calls', body: JSON.stringify(calls) }
  }
}

function createStatement(account: SeededAccount, operation: Operation, user: number): BareCalls['statement'] {
  const caller = [
    userId(account.tag, user),
    account.accountId,
    signInId(account.tag, user),
    'user',
    'none',
    '',
  ]
  const call = (name: string, ...rest: (string | number)[]) => {
    const params = [...caller, ...rest]
    return {
      query: `select * from app.${name}(${params.map((_, index) => `$${index + 1}`).join(', ')})`,
      params,
    }
  }
  if (operation === 'list') return call('list_notifications', 0, 50)
  if (operation === 'unread-count') return call('count_unread')
  return call(
    'mark_notification_read',
    notificationId(account, user, 1 + Math.floor(Math.random() * account.notificationsPerUser)),
  )
}

/** Return the command with which the limiter counts a call of `USER`. */
async function captureLimiterCommand(operation: Operation): Promise<string[]> {
  const captured: string[][] = []
  const capture = async (script: string, keys: string[], args: unknown[]) => {
    captured.push(['EVAL', script, String(keys.length), ...keys, ...args.map(String)])
    return [1, 1, 1]
  }
  const evalsha = async (): Promise<never> => {
    throw new Error('NOSCRIPT No matching script')
  }
  const redis = { eval: capture, evalsha, ping: async () => 'PONG' }
  await createRedisLimiter(redis as never).count(
    `bare:${operation}:USER`,
    parseRate(limits[operation]),
    false,
  )
  const [command = []] = captured
  const [, script = '', ...rest] = command
  // The service sends the hash. The first request of the bench's warm-up has loaded the script.
  return ['EVALSHA', createHash('sha1').update(script).digest('hex'), ...rest]
}
