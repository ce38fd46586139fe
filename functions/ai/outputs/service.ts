import { oldestFirst, type PageQuery, toPage } from '#db/page.ts'
import type { AiSessionRow } from '#db/rows/ai-session.ts'
import type { AiSessionState } from '#db/rows/ai-session-lock.ts'
import { findActiveBranch } from '#db/rows/ai-session-queries.ts'
import { inTransaction } from '#db/scope.ts'
import * as aiSessions from '#functions/ai/sessions/service.ts'
import * as connection from '#functions/psa/connection/service.ts'
import type { PushPreview } from '#functions/psa/pushes/schemas.ts'
import * as pushes from '#functions/psa/pushes/service.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidField, notFound, Problem, throwNotFound } from '#problem.ts'
import { forTicket } from '#rules/release.ts'
import { ask } from '#vendors/ai/ask.ts'
import { toClientCase, toWholeCase } from '#vendors/ai/facts.ts'
import { sessionOutput, statusUpdate as statusPrompt } from '#vendors/ai/prompts/writing.ts'
import { enqueuePush, maskForReaders } from '#work/pushes.ts'
import * as queries from './queries.ts'
import type {
  DocumentationPush,
  Output,
  OutputCreate,
  OutputId,
  OutputPatch,
  OutputPush,
  StatusUpdateCreate,
} from './schemas.ts'

/** Ask the model for a status update for one audience. Stores nothing. */
export async function createStatusUpdate(
  ctx: WriteContext,
  id: string,
  options: StatusUpdateCreate,
): Promise<{ text: string }> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  const { text } = await ask(ctx, statusPrompt, {
    facts: { ...(await collectWritingFacts(ctx, session, isForClient[options.audience])), ...options },
  })
  const [masked] = await maskForReaders(ctx.db, [toNote(options.audience, text)])
  return { text: masked?.text ?? '' }
}

export async function list({ db }: ReadContext, sessionId: string, page: PageQuery) {
  const outputs = await queries.selectOutputs.all(db, sessionId, page)
  if (outputs.length === 0) await findActiveBranch(db, sessionId)
  return toPage(await toOutputs(db, outputs), page, oldestFirst)
}

export async function create(ctx: WriteContext, id: string, { kind }: OutputCreate): Promise<Output> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  const earlier = ctx.isRepeat
    ? await queries.selectOutput.first(ctx.db, { session_id: id, output_id: ctx.workId })
    : undefined
  if (earlier) return toOutput(ctx.db, earlier)
  const { text } = await ask(ctx, sessionOutput, {
    facts: { ...(await collectWritingFacts(ctx, session, isForClient[kind])), kind },
  })
  const output = await queries.insertOutput.first(ctx.db, id, { id: ctx.workId, kind, content: text })
  if (!output) throw aiSessions.createChangeProblem(await aiSessions.find(ctx.db, id), [])
  return toOutput(ctx.db, output)
}

export async function update({ db }: WriteContext, ids: OutputId, { content }: OutputPatch): Promise<Output> {
  if (content === undefined) return toOutput(db, requireOwnOutput(await queries.lockOutput(db, ids)))
  const { isChanged, ...result } = await queries.updateOutput(db, ids, content)
  const output = requireOwnOutput(result)
  if (!isChanged)
    throw new Problem('already_pushed', 'This output is already queued or pushed; it cannot be edited', {
      facts: { psa_push: output.psa_push },
    })
  return toOutput(db, output)
}

/**
 * Queue the output as a ticket note, or retry its failed push. Return an output unchanged that is already
 * queued or pushed.
 */
export async function push(ctx: WriteContext, ids: OutputId, { notify }: OutputPush): Promise<Output> {
  await inTransaction(ctx.db, async (db) => {
    const outputAndSession = await queries.lockOutput(db, ids)
    const output = requireOwnOutput(outputAndSession)
    if (notify && !isForClient[output.kind])
      throw invalidField(
        ['body', 'notify'],
        'must be false: the client does not see this output',
        'contradiction',
      )
    const isSameRequest = (output.client_mail !== null) === notify
    if (output.psa_push === 'queued' || output.psa_push === 'pushed') {
      if (notify && !isSameRequest)
        throw new Problem('already_pushed', 'This output was pushed without an e-mail to the client')
      return
    }
    const ticketId = requireTicket(outputAndSession.session)
    await connection.requireActive({ db })
    if (output.psa_push_id && isSameRequest) {
      await pushes.retry({ db }, output.psa_push_id)
      return
    }
    const note = toNote(output.kind, output.content)
    const id = await enqueuePush(db, {
      ticketId,
      note,
      sourceKind: 'output',
      sourceId: ids.output_id,
      notify,
    })
    if (!id) throw connection.notConnected()
    await queries.setOutputPush(db, ids.output_id, id)
  })
  return toOutput(ctx.db, requireOwnOutput(await queries.lockOutput(ctx.db, ids)))
}

/** Return the note that a push of the output would add, and whom the ticketing system would mail. */
export async function previewPush(ctx: ReadContext, ids: OutputId): Promise<PushPreview> {
  const session = await aiSessions.findOwn(ctx.db, ids.session_id, [])
  const output = (await queries.selectOutput.first(ctx.db, ids)) ?? throwNotFound('Output')
  return pushes.preview(ctx, requireTicket(session), toNote(output.kind, output.content))
}

/** Return a text that the model wrote, or a user edited, as a note for its readers. */
const toNote = (kind: keyof typeof isForClient, text: string) =>
  forTicket(isForClient[kind] ? 'client' : 'internal', text)

/**
 * Retry the failed push of a session's documentation, or queue the first push of a resolved session that has
 * none.
 */
export async function retryPush(ctx: WriteContext, id: string): Promise<DocumentationPush> {
  const session = await aiSessions.findOwn(ctx.db, id, [])
  requireTicket(session)
  await inTransaction(ctx.db, async (db) => {
    const push = await queries.lockDocumentationPush(db, id)
    const isFirst = !push && session.status === 'resolved'
    if (push?.state !== 'failed' && !isFirst)
      throw new Problem('not_failed', 'No note of this session has failed', {
        facts: { psa_push: push?.state ?? null },
      })
    await connection.requireActive({ db })
    if (isFirst) await aiSessions.pushResolution({ db }, session)
    else await pushes.retry({ db }, push?.id ?? '')
  })
  return { session_id: id, psa_push: 'queued' }
}

/** Whether the client reads what the model writes. */
const isForClient: Record<Output['kind'] | StatusUpdateCreate['audience'], boolean> = {
  resolution_summary: false,
  ticket_note: false,
  kb_article: false,
  client_email: true,
  ticket_notes: false,
  client_update: true,
  email_draft: true,
}

async function collectWritingFacts(ctx: WriteContext, session: AiSessionRow, isClientVisible: boolean) {
  const ticket = await aiSessions.findTicketFacts(ctx, session.psa_ticket_id)
  return isClientVisible ? toClientCase(session, ticket) : toWholeCase(session, ticket)
}

function requireOwnOutput({
  session,
  output,
}: {
  session: AiSessionState | undefined
  output: queries.OutputRow | undefined
}): queries.OutputRow {
  if (!session?.is_owner) throw aiSessions.createChangeProblem(session, [])
  if (!output) throw notFound('Output')
  return output
}

/**
 * Return outputs with their texts as their readers may see them, because people copy these into mails. What
 * is stored stays as it was written.
 */
async function toOutputs(db: ReadContext['db'], outputs: readonly Output[]): Promise<Output[]> {
  const notes = await maskForReaders(
    db,
    outputs.map(({ kind, content }) => toNote(kind, content)),
  )
  return outputs.map((output, index) => ({ ...output, content: notes[index]?.text ?? '' }))
}

async function toOutput(
  db: ReadContext['db'],
  { psa_push_id: _push, ...row }: Output & { psa_push_id?: string | null },
): Promise<Output> {
  const [output = row] = await toOutputs(db, [row])
  return output
}

function requireTicket(session: Pick<AiSessionState, 'psa_ticket_id'> | undefined): string {
  if (!session?.psa_ticket_id) throw new Problem('no_ticket', 'This session has no linked ticket')
  return session.psa_ticket_id
}
