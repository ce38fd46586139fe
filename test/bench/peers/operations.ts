import { withSuperuser } from '#local/postgres.ts'
import { createBareRequests } from '#test/bench/bare-calls.ts'
import type { Operation } from '#test/bench/database-baselines.ts'
import type { LoadRequest } from '#test/bench/load.ts'
import {
  type BenchDatabase,
  benchNotificationsPerUser,
  notificationId,
  type SeededAccount,
  userId,
} from '#test/bench/seed.ts'
import {
  aiSessionId,
  doneSessionId,
  openSessionId,
  peerPassword,
  resetAiSessions,
  resetSessions,
  runnableFlowId,
  runnableFlows,
  sessionPool,
} from './seed-peers.ts'

/** An operation that the services are measured with. */
export interface PeerOperation {
  name: string
  /** Return the next request. Users take turns, because our limits are per person and minute. */
  next(): LoadRequest
  /** Undo what requests have changed, so that the next window starts with the same rows. */
  reset?(): Promise<void>
  /** Returns the requests of the Worker's floor: the same calls to PostgreSQL and to Redis alone. */
  floor?: () => LoadRequest
}

/** Names of the operations that every peer has. */
export const notificationOperations = ['list notifications', 'unread count', 'mark read'] as const

/**
 * Create the operations of an account with the rows of `seedPeers`, or those that BENCH_OPERATIONS names,
 * such as "escalate,log in".
 */
export async function createOperations(
  database: BenchDatabase,
  account: SeededAccount,
): Promise<PeerOperation[]> {
  const all = [
    ...(await createNotificationOperations(account)),
    ...createReads(account),
    ...createWrites(database, account),
  ]
  const chosen = process.env.BENCH_OPERATIONS?.split(',')
  return chosen ? all.filter(({ name }) => chosen.includes(name)) : all
}

/** Create a function that returns the numbers of the users, from 0, again and again. */
function createTurns({ userCount }: SeededAccount): () => number {
  let turn = 0
  return () => (turn = (turn + 1) % userCount)
}

const get = (path: string, token: string): LoadRequest => ({ method: 'GET', path: `/api/v1${path}`, token })
const post = (path: string, token: string, body: object): LoadRequest => ({
  method: 'POST',
  path: `/api/v1${path}`,
  token,
  body: JSON.stringify(body),
})

async function createNotificationOperations(account: SeededAccount): Promise<PeerOperation[]> {
  const nextUser = createTurns(account)
  const token = (user: number) => account.tokens[user] ?? ''
  const floorOf = (operation: Operation) => createBareRequests(account, operation)
  const markRead = () => {
    const user = nextUser()
    const id = notificationId(account, user + 1, 1 + Math.floor(Math.random() * benchNotificationsPerUser))
    return { method: 'PATCH', path: `/api/v1/notifications/${id}/read`, token: token(user) }
  }
  return [
    {
      name: 'list notifications',
      next: () => get('/notifications?limit=50', token(nextUser())),
      floor: await floorOf('list'),
    },
    {
      name: 'unread count',
      next: () => get('/notifications/unread-count', token(nextUser())),
      floor: await floorOf('unread-count'),
    },
    { name: 'mark read', next: markRead, floor: await floorOf('mark-read') },
  ]
}

function createReads(account: SeededAccount): PeerOperation[] {
  const nextUser = createTurns(account)
  const readAs = (path: (user: number) => string) => () => {
    const user = nextUser()
    return get(path(user), account.tokens[user] ?? '')
  }
  return [
    { name: 'list flows', next: readAs(() => '/trees') },
    { name: 'search flows', next: readAs(() => '/trees?search=printer%20order') },
    {
      name: 'export markdown',
      next: readAs((user) => `/sessions/${doneSessionId(account, user)}/export?format=markdown`),
    },
  ]
}

function createWrites({ postgresPort, database }: BenchDatabase, account: SeededAccount): PeerOperation[] {
  const nextUser = createTurns(account)
  const token = (user: number) => account.tokens[user % account.userCount] ?? ''
  const logIn = () => {
    const body = JSON.stringify({
      email: `bench-${account.tag}-${nextUser() + 1}@people.example`,
      password: peerPassword,
    })
    return { method: 'POST', path: '/api/v1/auth/login', address: randomAddress(), body }
  }
  const start = () => {
    const user = nextUser()
    const answers = { ticket_number: `S-${user}`, client_name: 'Contoso', variables: { printer: '10.1.2.3' } }
    return post('/sessions', token(user), {
      tree_id: runnableFlowId(account, user % runnableFlows),
      ...answers,
    })
  }
  const decide = (n: number) =>
    post(`/sessions/${openSessionId(account, n)}/decisions`, token(n), {
      step_id: 'n1',
      option_id: 'yes',
      note: 'It answers',
      duration_seconds: 5,
    })
  const escalate = (n: number) =>
    post(`/ai-sessions/${aiSessionId(account, n)}/escalate`, token(n), {
      target_user_id: userId(account.tag, 1 + ((n + 1) % account.userCount)),
      summary: 'The spooler of the server stops.',
      what_was_tried: 'Restarted the spooler.',
      urgency: 'high',
    })
  const runSql = (text: string) =>
    withSuperuser(postgresPort, database, async (client) => void (await client.query(text)))
  return [
    { name: 'start session', next: start },
    { name: 'record decision', ...takeEachOnce(decide, () => runSql(resetSessions(account))) },
    { name: 'escalate', ...takeEachOnce(escalate, () => runSql(resetAiSessions(account))) },
    { name: 'log in', next: logIn },
  ]
}

/** Create the requests of an operation that each session takes once, until they are reset. */
function takeEachOnce(
  request: (n: number) => LoadRequest,
  undo: () => Promise<void>,
): Pick<PeerOperation, 'next' | 'reset'> {
  let used = 0
  return {
    next() {
      if (used === sessionPool)
        throw new Error(`A window can take at most ${sessionPool} sessions: choose a smaller BENCH_SECONDS`)
      return request(used++)
    },
    async reset() {
      await undo()
      used = 0
    },
  }
}

/** Return a random IPv4 address: sign-ins are limited per address. */
function randomAddress(): string {
  return Array.from({ length: 4 }, () => 1 + Math.floor(Math.random() * 250)).join('.')
}
