import { userId } from '#test/bench/seed.ts'
import { adminCount, type GrowthAccount, peopleCount, rowId } from './rows.ts'

export interface GrowthRequest {
  method: string
  path: string
  body?: object
  /** The number of the person who sends it. */
  person: number
}

/** An operation whose work must not depend on how many rows the account has. */
export interface GrowthOperation {
  name: string
  /** Return request `n` of an account, counted from 0. Each write takes a session of its own. */
  request(account: GrowthAccount, n: number): GrowthRequest
  /** Why it may read more rows in a larger account, as the table prints it. */
  mayGrow?: string
}

const engineer = (n: number) => 1 + (n % (peopleCount - adminCount))
const admin = (n: number) => peopleCount - (n % adminCount)
/** The person to whom row `n` of each kind belongs. */
const ownerOf = (n: number) => 1 + (n % peopleCount)

const read = (name: string, path: string, mayGrow?: string): GrowthOperation => ({
  name,
  request: (_, n) => ({ method: 'GET', path, person: engineer(n) }),
  ...(mayGrow ? { mayGrow } : {}),
})
const readAsAdmin = (name: string, path: string, mayGrow?: string): GrowthOperation => ({
  ...read(name, path, mayGrow),
  request: (_, n) => ({ method: 'GET', path, person: admin(n) }),
})

const reads: GrowthOperation[] = [
  read('list notifications', '/notifications?limit=50'),
  read('count unread notifications', '/notifications/unread-count'),
  read('list sessions', '/sessions'),
  read('list sessions of a client', '/sessions?client_name=contoso'),
  read('find a session by its ticket', '/sessions?ticket_number=t-99', 'more tickets contain the text'),
  read('list flows', '/trees'),
  read('list flows by name', '/trees?sort_by=name'),
  read('search flows', '/trees?search=printer'),
  read('search a frequent word', '/search?q=printer', 'reads up to 500 entries of each type'),
  read('search a rare word', '/search?q=rare17', 'reads up to 1,500 entries of each type'),
  read('list AI sessions', '/ai-sessions'),
  read('list waiting escalations', '/ai-sessions/queue', 'sorts all that wait by urgency, up to 1,000 here'),
  read('list articles', '/kb-imports'),
  read('list waiting approvals', '/approvals'),
  read('get the own user', '/auth/me'),
  read('get the account', '/accounts/me', 'counts the active members'),
  read('get the usage of the account', '/accounts/me/usage'),
  read('metrics of the team', '/analytics/team?period=30d', 'counts the sessions of the period'),
  read('metrics of the own sessions', '/analytics/me?period=30d', 'counts the sessions of the period'),
  read('metrics of escalations', '/analytics/flowpilot/escalations?period=30d'),
  read('list members', '/accounts/me/members'),
  readAsAdmin('list the audit log', '/accounts/me/audit-logs'),
  readAsAdmin(
    'staff: find users',
    '/admin/users?q=person-0000',
    'intersects the lists of frequent parts of names',
  ),
  readAsAdmin('staff: find no user', '/admin/users?q=zeppelin'),
  readAsAdmin('staff: list the audit log', '/admin/audit-logs?action=member.updated'),
]

const readsOfOne: GrowthOperation[] = [
  {
    name: 'get a session',
    request: (account, n) => ({
      method: 'GET',
      path: `/sessions/${rowId(account, 'session', 100 + n)}`,
      person: engineer(n),
    }),
  },
  {
    name: 'get a flow',
    request: (account, n) => ({
      method: 'GET',
      path: `/trees/${rowId(account, 'flow', 1 + (n % 20))}`,
      person: engineer(n),
    }),
  },
  {
    name: 'get an AI session',
    request: (account) => ({
      method: 'GET',
      path: `/ai-sessions/${rowId(account, 'aiSession', 1)}`,
      person: ownerOf(1),
    }),
  },
  {
    name: 'list the messages of a chat',
    request: (account) => ({
      method: 'GET',
      path: `/ai-sessions/${rowId(account, 'aiSession', 1)}/messages`,
      person: ownerOf(1),
    }),
  },
  { name: 'list the own sign-ins', request: () => ({ method: 'GET', path: '/auth/me/sessions', person: 1 }) },
]

const writes: GrowthOperation[] = [
  {
    name: 'mark a notification as read',
    request: (account, n) => ({
      method: 'PATCH',
      path: `/notifications/${rowId(account, 'notification', 1 + n)}/read`,
      person: ownerOf(1 + n),
    }),
  },
  {
    name: 'start a session',
    request: (account, n) => ({
      method: 'POST',
      path: '/sessions',
      body: {
        tree_id: rowId(account, 'flow', 1 + (n % 20)),
        ticket_number: `S-${n}`,
        client_name: 'Contoso',
        variables: { printer: '10.1.2.3' },
      },
      person: engineer(n),
    }),
  },
  {
    name: 'record a decision',
    request: (account, n) => ({
      method: 'POST',
      path: `/sessions/${rowId(account, 'session', 1 + n)}/decisions`,
      body: { step_id: 'n1', option_id: 'yes', note: 'It answers', duration_seconds: 5 },
      person: ownerOf(1 + n),
    }),
  },
  {
    name: 'escalate',
    request: (account, n) => ({
      method: 'POST',
      path: `/ai-sessions/${rowId(account, 'aiSession', 2 + n)}/escalate`,
      body: {
        target_user_id: userId(account.tag, ownerOf(3 + n)),
        summary: 'The spooler stops.',
        what_was_tried: 'Restarted it.',
        urgency: 'high',
      },
      person: ownerOf(2 + n),
    }),
  },
  {
    name: 'pick up an escalation',
    request: (account, n) => ({
      method: 'POST',
      path: `/ai-sessions/${rowId(account, 'aiSession', 65 + n)}/pickup`,
      person: engineer(65 + n + 7),
    }),
  },
  {
    name: 'get a ticket for live events',
    request: (_, n) => ({ method: 'POST', path: '/auth/stream-ticket', person: engineer(n) }),
  },
]

export const growthOperations: readonly GrowthOperation[] = [...reads, ...readsOfOne, ...writes]
