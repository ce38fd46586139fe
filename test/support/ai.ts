import type { Answer, Service } from './app.ts'
import { newAccount, type Person } from './people.ts'

/** Begins a chat session of this person's and answers its detail. */
export async function newAiSession(person: Person, about: Record<string, unknown> = {}) {
  const body = { session_type: 'chat', problem_summary: 'Reception cannot print since this morning.', ...about }
  const answer = await person.call('POST', '/ai-sessions', body)
  if (answer.status !== 201) throw new Error(`The AI session was refused: ${answer.text}`)
  return answer.body
}

/** Suggests a fix in a session as the model would; what is given differs from a script without parameters that restarts a service. */
export async function suggestFix(service: Service, session: { id: string; account_id: string }, about: Record<string, unknown> = {}) {
  const row = {
    title: 'Restart the spooler',
    description: 'On the print server.',
    kind: 'script',
    ai_drafted_script: "Restart-Service -Name 'Spooler'",
    ai_drafted_language: 'powershell',
    ...about,
  }
  const [made] = await service.sql<{ id: string }>(
    `insert into ai_fixes (account_id, session_id, ${Object.keys(row).join(', ')})
     values ($1, $2, ${Object.keys(row).map((_, index) => `$${index + 3}`)}) returning id`,
    [session.account_id, session.id, ...Object.values(row)],
  )
  return (made as { id: string }).id
}

/** A fix of somebody's session, and what can be done with it. */
export async function fixScene(service: Service, about: Record<string, unknown> = {}) {
  const account = await newAccount(service)
  const owner = await account.colleague()
  const session = await newAiSession(owner)
  const id = await suggestFix(service, session, about)
  const at = `/ai-sessions/${session.id}/suggested-fixes`
  const version = async () => (await owner.call('GET', `/ai-sessions/${session.id}/facts`)).body.state_version as number
  const read = async () => (await owner.call('GET', at)).body[0]
  const apply = (person: Person = owner) => person.call('POST', `${at}/${id}/apply`)
  const outcome = (outcome: string, more: object = {}) => owner.call('PATCH', `${at}/${id}/outcome`, { outcome, ...more })
  const script = (body: object) => owner.call('PATCH', `${at}/${id}/script`, body)
  return { account, owner, session, id, at, version, read, apply, outcome, script }
}

/** Reads a whole stream of server-sent events: their names, ids and data. */
export async function eventsOf(response: Response): Promise<{ event: string; data: Answer['body'] }[]> {
  return parseEvents(await response.text())
}

export function parseEvents(text: string): { event: string; id?: string; data: Answer['body'] }[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('event:'))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
      const id = field('id')
      return { event: field('event') ?? '', ...(id === undefined ? {} : { id }), data: JSON.parse(field('data') ?? 'null') }
    })
}

/** Calls a stream of this person's. */
export function stream(service: Pick<Service, 'api'>, person: Person, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${service.api}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${person.token}`, accept: 'text/event-stream', 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
}
