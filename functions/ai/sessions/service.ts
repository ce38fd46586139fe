import { documentation } from '../../../lib/ai/documentation.ts'
import type { TicketFacts } from '../../../lib/ai/facts.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import { type AiSessionRow, type AiStatus, openStates } from '../../../lib/db/rows/ai-session.ts'
import { selectAiSession } from '../../../lib/db/rows/ai-session-queries.ts'
import { inTransaction } from '../../../lib/db/scope.ts'
import { uuidv7 } from '../../../lib/db/uuid.ts'
import type { JobContext } from '../../../lib/http/job.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { promptNotes } from '../../../lib/psa/prompt.ts'
import { publishPushes, queuePush } from '../../../lib/psa/pushes.ts'
import * as psa from '../../psa/tickets/service.ts'
import * as sessions from '../../sessions/sessions/service.ts'
import * as queries from './queries.ts'
import type { AiSessionCreate, AiSessionDetail, AiSessionQuery, Resolve, SessionClose } from './schemas.ts'

/** Begins a session. A ticket that cannot be read now is kept by its id alone; one that the PSA does not know is refused. */
export async function create(ctx: Writer, given: AiSessionCreate): Promise<AiSessionRow> {
  if (given.tree_id) await requireTroubleshooting(ctx, given.tree_id)
  const ticket = given.psa_ticket_id ? await ticketFacts(ctx, given.psa_ticket_id, true) : null
  const session = await queries.insertAiSession(ctx.db, {
    id: uuidv7(),
    session_type: given.session_type,
    title: titleOf(given.problem_summary ?? ticket?.summary ?? `New ${given.session_type} session`),
    problem_summary: given.problem_summary ?? ticket?.summary ?? null,
    psa_ticket_id: given.psa_ticket_id ?? null,
    tree_id: given.tree_id ?? null,
    client_name: given.client_name ?? ticket?.company ?? null,
    asset_name: given.asset_name ?? null,
    environment_tags: given.environment_tags ?? [],
  })
  return session ?? missing()
}

export async function list({ db }: Reader, query: AiSessionQuery & PageQuery) {
  return toPage(await queries.selectAiSessions(db, query), query.limit)
}

export async function get({ db }: Pick<Reader, 'db'>, id: string): Promise<AiSessionDetail> {
  return shown(await find(db, id))
}

export async function remove({ db }: Writer, id: string): Promise<void> {
  if (!(await queries.deleteAiSession(db, id))) await findOwn(db, id, [])
}

export async function resolve(ctx: Writer, id: string, given: Resolve): Promise<SessionClose> {
  const { notes = null, outcome } = given
  const before = await findOwn(ctx.db, id, openStates)
  const text = documentation(before, { outcome, notes })
  const pushId = await inTransaction(ctx.db, async (db) => {
    const { done, session } = await queries.resolveAiSession(db, id, given)
    if (!done) throw refusal(session, openStates)
    return pushDocumentation(db, before, text)
  })
  if (pushId) ctx.after(() => publishPushes(ctx.queue, [pushId]))
  return {
    session_id: id,
    status: 'resolved',
    handoff_id: null,
    documentation: text,
    psa_push: pushId ? 'queued' : 'not_linked',
    notified: 0,
  }
}

/** Ends a session without an outcome; one that is over stays as it is. */
export async function abandon({ db }: Writer, id: string): Promise<SessionClose> {
  const { done, session } = await queries.abandonAiSession(db, id)
  if (!session?.is_owner) throw refusal(session, [])
  const status = done ? 'abandoned' : session.status
  return { session_id: id, status, handoff_id: null, documentation: '', psa_push: 'not_linked', notified: 0 }
}

/** Queues what a case came to as an internal note of its ticket, in the transaction of `db`; null without a ticket or a connected PSA. */
export async function pushDocumentation(db: Writer['db'], { id, psa_ticket_id }: AiSessionRow, body: string): Promise<string | null> {
  if (!psa_ticket_id) return null
  const pushId = await queuePush(db, { ticketId: psa_ticket_id, body, internal: true, sourceKind: 'ai_session', sourceId: id })
  if (pushId) await queries.setPush(db, id, pushId)
  return pushId
}

/** The ticket as prompts tell of it; null when it cannot be read. With `refuse`, one that is not there is 404. */
export async function ticketFacts(ctx: Reader | Writer, ticketId: string | null, refuse = false): Promise<TicketFacts | null> {
  if (!ticketId) return null
  try {
    const context = await psa.context(ctx, ticketId)
    const { ticket, company, contact, configurations } = context
    return {
      ...{ summary: ticket.summary, description: ticket.description, status: ticket.status, priority: ticket.priority },
      company: company?.name ?? ticket.company,
      contact: contact?.name ?? ticket.contact,
      configurations: configurations.slice(0, 10).map(({ name }) => name),
      notes: promptNotes(context),
    }
  } catch (error) {
    if (refuse && error instanceof Problem && error.kind === 'not_found') throw error
    // Nobody waits for a ticketing system at 3 a.m.
    return null
  }
}

/** Guided flows and scripts that may have to do with a text. */
export function candidates({ db }: Pick<Reader, 'db'>, text: string, treeId: string | null) {
  return queries.selectCandidates(db, text, treeId)
}

/** A session that the caller sees, or 404. */
export async function find(db: Reader['db'], id: string): Promise<AiSessionRow> {
  return (await selectAiSession(db, id)) ?? missing()
}

/** A session of the caller's own (others 403) in one of these states (else 409); any state when none is named. */
export async function findOwn(db: Reader['db'], id: string, states: readonly AiStatus[]): Promise<AiSessionRow> {
  const session = await find(db, id)
  if (!session.is_owner || (states.length > 0 && !states.includes(session.status))) throw refusal(session, states)
  return session
}

/** Why a change was not made: 404, 403, or 409 naming the session's state. */
export function refusal(session: Pick<AiSessionRow, 'is_owner' | 'status'> | undefined, states: readonly AiStatus[]): Problem {
  if (!session) return new Problem('not_found', 'AI session not found')
  if (!session.is_owner) return new Problem('forbidden', 'Only its user or who picked it up may change this session')
  const { status } = session
  const detail = `The session is ${status.replaceAll('_', ' ')}; this can be done while it is ${states.join(', ').replaceAll('_', ' ')}`
  return new Problem('conflict', detail, { code: 'wrong_session_state', facts: { status } })
}

/** What a caller reads of a session. */
export function shown({ team_id: _team, is_owner: _owner, ...session }: AiSessionRow): AiSessionDetail {
  return session as AiSessionDetail
}

export async function archiveIdle({ platform }: Pick<JobContext, 'platform'>): Promise<void> {
  await queries.archiveIdle(platform)
}

async function requireTroubleshooting(ctx: Writer, treeId: string): Promise<void> {
  const { tree_type } = await sessions.findRunnable(ctx.db, treeId)
  if (tree_type !== 'troubleshooting')
    throw new Problem('bad_request', 'Only a troubleshooting flow can lead a diagnosis', { code: 'wrong_flow_type' })
}

function titleOf(text: string): string {
  const line = Array.from((text.trim().split('\n')[0] ?? '').trim())
  return line.length > 100 ? `${line.slice(0, 100).join('')}…` : line.join('')
}

function missing(): never {
  throw new Problem('not_found', 'AI session not found')
}
