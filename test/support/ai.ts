import type { ApiResponse, Service } from './app.ts'
import { createAccount, type Person } from './people.ts'

/** Create a chat session through the API and return its detail. */
export async function createAiSession(person: Person, fields: Record<string, unknown> = {}) {
  const body = {
    session_type: 'chat',
    problem_summary: 'Reception cannot print since this morning.',
    ...fields,
  }
  const response = await person.call('POST', '/ai-sessions', body)
  if (response.status !== 201) throw new Error(`The AI session was refused: ${response.text}`)
  return response.body
}

/** Insert a session by SQL, without events, jobs or rate limits, and return its id. */
export async function insertAiSession(service: Service, owner: Person, type = 'chat'): Promise<string> {
  const [row] = await service.sql<{ id: string }>(
    `insert into ai_sessions (account_id, team_id, user_id, session_type, title, problem_summary, psa_ticket_id)
     values ($1, $2, $3, $4, 'Reception cannot print', 'Reception cannot print since this morning.', '4711') returning id`,
    [owner.accountId, owner.teamId || null, owner.id, type],
  )
  return row?.id ?? ''
}

/**
 * Insert a fix as the model would suggest it and return its id. The default is a script without parameters
 * that restarts a service.
 */
export async function insertFix(
  service: Service,
  session: { id: string; account_id: string },
  columns: Record<string, unknown> = {},
) {
  const values = {
    title: 'Restart the spooler',
    description: 'On the print server.',
    kind: 'script',
    ai_drafted_script: "Restart-Service -Name 'Spooler'",
    ai_drafted_language: 'powershell',
    ...columns,
  }
  const [row] = await service.sql<{ id: string }>(
    `insert into ai_fixes (account_id, session_id, ${Object.keys(values).join(', ')})
     values ($1, $2, ${Object.keys(values).map((_, index) => `$${index + 3}`)}) returning id`,
    [session.account_id, session.id, ...Object.values(values)],
  )
  return (row as { id: string }).id
}

/**
 * Create an account, a session and a suggested fix. Return them with functions that call the fix's operations
 * as its owner.
 */
export async function createFixScene(service: Service, columns: Record<string, unknown> = {}) {
  const account = await createAccount(service)
  const owner = await account.addColleague()
  const session = await createAiSession(owner)
  const id = await insertFix(service, session, columns)
  const fixesPath = `/ai-sessions/${session.id}/suggested-fixes`
  return {
    account,
    owner,
    session,
    id,
    fixesPath,
    readStateVersion: async () =>
      (await owner.call('GET', `/ai-sessions/${session.id}/facts`)).body.state_version as number,
    readFix: async () => (await owner.call('GET', fixesPath)).body[0],
    applyFix: (person: Person = owner) => person.call('POST', `${fixesPath}/${id}/apply`),
    reportOutcome: (outcome: string, fields: object = {}) =>
      owner.call('PATCH', `${fixesPath}/${id}/outcome`, { outcome, ...fields }),
    editScript: (body: object) => owner.call('PATCH', `${fixesPath}/${id}/script`, body),
  }
}

/** Read a finished stream of server-sent events. */
export async function readEvents(
  response: Response,
): Promise<{ event: string; data: ApiResponse['body'] }[]> {
  return parseEvents(await response.text())
}

/** Parse server-sent events, ignoring comments. */
export function parseEvents(text: string): { event: string; id?: string; data: ApiResponse['body'] }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('event:'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const id = field('id')
      return {
        event: field('event') ?? '',
        ...(id === undefined ? {} : { id }),
        data: JSON.parse(field('data') ?? 'null'),
      }
    })
}

/** Request a stream of server-sent events. Return the response before its body is read. */
export function requestStream(
  service: Pick<Service, 'api'>,
  person: Person,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${service.api}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${person.token}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
}
