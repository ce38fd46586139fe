import { ask } from '../../../lib/ai/ask.ts'
import { documentation } from '../../../lib/ai/documentation.ts'
import { wholeCase } from '../../../lib/ai/facts.ts'
import { sessionOutput, statusUpdate as statusPrompt } from '../../../lib/ai/prompts/writing.ts'
import { type PageQuery, toPage } from '../../../lib/db/page.ts'
import type { AiSessionRow } from '../../../lib/db/rows/ai-session.ts'
import type { Standing } from '../../../lib/db/rows/ai-session-lock.ts'
import { inTransaction } from '../../../lib/db/scope.ts'
import type { Reader, Writer } from '../../../lib/http/operation.ts'
import { Problem } from '../../../lib/problem.ts'
import { publishPushes, queuePush } from '../../../lib/psa/pushes.ts'
import * as connection from '../../psa/connection/service.ts'
import * as pushes from '../../psa/pushes/service.ts'
import * as aiSessions from '../sessions/service.ts'
import * as queries from './queries.ts'
import type { DocumentationPush, Output, OutputCreate, OutputId, OutputPatch, StatusUpdateCreate } from './schemas.ts'

/** Where the case stands, for one audience; nothing is kept of it. */
export async function statusUpdate(ctx: Writer, id: string, wanted: StatusUpdateCreate): Promise<{ text: string }> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  return ask(ctx, statusPrompt, { facts: { ...(await writingFacts(ctx, session)), ...wanted } })
}

export async function list({ db }: Reader, sessionId: string, page: PageQuery) {
  const outputs = await queries.selectOutputs(db, sessionId, page)
  if (outputs.length === 0) await aiSessions.find(db, sessionId)
  return toPage(outputs, page.limit)
}

export async function create(ctx: Writer, id: string, { kind }: OutputCreate): Promise<Output> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  const { text } = await ask(ctx, sessionOutput, { facts: { ...(await writingFacts(ctx, session)), kind } })
  const output = await queries.insertOutput(ctx.db, id, kind, text)
  if (!output) throw aiSessions.refusal(await aiSessions.find(ctx.db, id), [])
  return output
}

export async function update({ db }: Writer, ids: OutputId, { content }: OutputPatch): Promise<Output> {
  if (content === undefined) return shown(owned(await queries.holdOutput(db, ids)))
  const { done, ...found } = await queries.editOutput(db, ids, content)
  const output = owned(found)
  if (!done)
    throw new Problem('conflict', 'This output is on its way to the ticket', {
      code: 'already_pushed',
      facts: { psa_push: output.psa_push },
    })
  return shown(output)
}

/** Queues one note of the output; what is queued or written already is answered as it is. */
export async function push(ctx: Writer, ids: OutputId): Promise<Output> {
  const pushId = await inTransaction(ctx.db, async (db) => {
    const found = await queries.holdOutput(db, ids)
    const output = owned(found)
    if (output.psa_push === 'queued' || output.psa_push === 'pushed') return null
    const ticketId = requireTicket(found.session)
    await connection.requireActive({ db })
    if (output.psa_push_id) {
      await pushes.retry({ ...ctx, db }, output.psa_push_id)
      return null
    }
    const { kind, content: body } = output
    const id = await queuePush(db, { ticketId, body, internal: kind !== 'client_email', sourceKind: 'output', sourceId: ids.output_id })
    if (!id) throw connection.notConnected()
    await queries.setPush(db, ids.output_id, id)
    return id
  })
  if (pushId) ctx.after(() => publishPushes(ctx.queue, [pushId]))
  return shown(owned(await queries.holdOutput(ctx.db, ids)))
}

/** Sends the documentation of a session to its ticket once more, or for the first time when there was no way before. */
export async function retryPush(ctx: Writer, id: string): Promise<DocumentationPush> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  requireTicket(session)
  const pushId = await inTransaction(ctx.db, async (db) => {
    const before = await queries.holdDocumentationPush(db, id)
    const isFirst = !before && session.status === 'resolved'
    if (before?.state !== 'failed' && !isFirst)
      throw new Problem('conflict', 'No note of this session has failed', {
        code: 'nothing_to_retry',
        facts: { psa_push: before?.state ?? null },
      })
    await connection.requireActive({ db })
    if (isFirst)
      return aiSessions.pushDocumentation(
        db,
        session,
        documentation(session, { outcome: session.outcome, notes: session.resolution_notes }),
      )
    await pushes.retry({ ...ctx, db }, before?.id ?? '')
    return null
  })
  if (pushId) ctx.after(() => publishPushes(ctx.queue, [pushId]))
  return { session_id: id, psa_push: 'queued' }
}

async function writingFacts(ctx: Writer, session: AiSessionRow) {
  return wholeCase(session, await aiSessions.ticketFacts(ctx, session.psa_ticket_id))
}

function owned({ session, output }: { session: Standing | undefined; output: queries.OutputRow | undefined }): queries.OutputRow {
  if (!session?.is_owner) throw aiSessions.refusal(session, [])
  if (!output) throw new Problem('not_found', 'Output not found')
  return output
}

function shown({ psa_push_id: _push, ...output }: queries.OutputRow): Output {
  return output
}

function requireTicket(session: Pick<Standing, 'psa_ticket_id'> | undefined): string {
  if (!session?.psa_ticket_id) throw new Problem('conflict', 'This session is for no ticket', { code: 'no_ticket' })
  return session.psa_ticket_id
}
