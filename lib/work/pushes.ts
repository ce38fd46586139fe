import { type RawBuilder, sql } from 'kysely'
import * as z from 'zod'
import { accountId, jsonb } from '#db/expressions.ts'
import { selectExportMasking } from '#db/rows/export-masking.ts'
import type { ReadDb, WriteDb } from '#db/scope.ts'
import { readStatement, writeStatement } from '#db/statement.ts'
import { type ClientText, forAccount, isInternalNote, type TicketText } from '#rules/audience.ts'
import type { PushSource } from '#rules/events/push-values.ts'
import { maskAll } from '#rules/release.ts'
import { clip } from '#rules/text/clip.ts'

/** A push: a note that is queued for a ticket. */
export interface NewPush {
  /** The provider's id of the ticket. */
  ticketId: string
  /** Plain text with who may read it. */
  note: TicketText
  sourceKind: PushSource
  sourceId: string
  /** Whether the ticket also gets the status that the connection has for resolved cases. */
  setsStatus?: true
  /**
   * Whether the ticketing system mails it to the contact of the ticket. Only for a note that the client may
   * read.
   */
  notify?: boolean
}

/** A push that its session makes once. */
export type OncePush = { sessionId: string } & (
  | {
      kind: 'time_entry'
      ticketId: string
      note: TicketText
      details: Omit<TimeEntryDetails, 'is_resolution' | 'moved_from'>
    }
  | { kind: 'ticket'; description: ClientText; details: TicketDetails }
)

export const TimeEntryDetails = z.strictObject({
  member_id: z.string(),
  started_at: z.string(),
  minutes: z.int(),
  is_resolution: z.boolean(),
  /** Other tickets in which an attempt may have added it. */
  moved_from: z.array(z.string()).optional(),
})
export type TimeEntryDetails = z.output<typeof TimeEntryDetails>

export const TicketDetails = z.strictObject({
  summary: z.custom<ClientText>(),
  company_id: z.string(),
  contact_id: z.string().nullable(),
  board_id: z.string().nullable(),
})
export type TicketDetails = z.output<typeof TicketDetails>

/** Maximum length of a note, in characters. */
export const maxPushLength = 30_000

const toDetails = ({ note, setsStatus, notify }: Pick<NewPush, 'note' | 'setsStatus' | 'notify'>) => ({
  is_resolution: note.visibility === 'resolution' ? true : undefined,
  sets_status: setsStatus ? true : undefined,
  notify: notify ? true : undefined,
})

/** The digest of a note, by which a result is recognised after its text was deleted. */
export const toDigest = (text: RawBuilder<unknown>) => sql`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`

/**
 * Condition on `psa_pushes p`: the same note was pushed within the last minute, for example by the first
 * click of a double click. A result is mailed once, however late the second click is.
 */
const isRecentDuplicate = (push: NewPush) => sql`
  p.account_id = app.account_id() and p.source_id = ${push.sourceId} and p.kind = 'note' and p.ticket_id = ${push.ticketId}
  and p.internal = ${isInternalNote[push.note.visibility]} and p.details - 'mailed' - 'digest' = ${jsonb(toDetails(push))}
  and p.state <> 'failed' and (p.created_at > app.now() - interval '1 minute' or (p.details ? 'notify' and p.source_kind <> 'user'))
  and (p.body = ${push.note.text} or p.details ->> 'digest' = ${toDigest(sql`${push.note.text}::text`)})`

/**
 * Insert a push, unless the account has no active connection or the same note was pushed within the last
 * minute.
 */
export const insertPush = writeStatement(
  z.object({ id: z.string() }),
  (push: NewPush) => sql`
    insert into psa_pushes (ticket_id, body, internal, source_kind, source_id, details)
    select ${push.ticketId}, ${push.note.text}, ${isInternalNote[push.note.visibility]}, ${push.sourceKind}, ${push.sourceId},
           ${jsonb(toDetails(push))}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
       and not exists (select from psa_pushes p where ${isRecentDuplicate(push)})
    returning id`,
)

/** Select the push of the same note within the last minute. */
export const selectRecentPush = readStatement(
  z.object({ id: z.string() }),
  (push: NewPush) =>
    sql`select p.id from psa_pushes p where ${isRecentDuplicate(push)} order by p.created_at desc limit 1`,
)

/**
 * Concurrent pushes of the same source wait for each other. Notes that a user writes have no row of their own
 * to lock.
 */
export const lockSource = writeStatement(
  null,
  (sourceId: string) =>
    sql`select from pg_advisory_xact_lock(hashtextextended('psa_push:' || app.account_id()::text || ':' || ${sourceId}::text, 0))`,
)

/**
 * Prepare, insert and enqueue a push in the transaction of `db`. Return its id, or the id of a push of the
 * same note within the last minute. Return null when the account has no active connection.
 */
export async function enqueuePush(db: WriteDb, push: NewPush): Promise<string | null> {
  const prepared = { ...push, note: await prepareNote(db, push.note) }
  const [, [inserted], [recent]] = await db.batch([
    lockSource.query(push.sourceId),
    insertPush.query(prepared),
    selectRecentPush.query(prepared),
  ])
  if (inserted) db.outbox({ kind: 'push', id: inserted.id, attempt: 1 })
  return recent?.id ?? null
}

/** Return a note as a preview shows it and a push has it: masked for its readers, and cut. */
export async function prepareNote<Note extends TicketText>(db: ReadDb, note: Note): Promise<Note> {
  const [masked = note] = await maskForReaders(db, [note])
  return { ...masked, text: clip(masked.text, maxPushLength) }
}

/**
 * Return texts as their readers may see them: those for colleagues masked if the account masks its exports.
 * Those for clients are masked already.
 */
export async function maskForReaders<Note extends TicketText>(
  db: ReadDb,
  notes: readonly Note[],
): Promise<Note[]> {
  const { is_masked } = await selectExportMasking.one(db)
  return notes.map((note) =>
    is_masked && note.visibility === 'internal' ? { ...note, text: forAccount(maskAll(note.text)) } : note,
  )
}

/**
 * Insert a push unless its session has one of this kind that has not failed, or the account has no active
 * connection.
 */
export const insertOncePush = writeStatement(z.object({ id: z.string() }), (push: OncePush) => {
  const { ticketId, text, internal, details } = toColumns(push)
  return sql`
    insert into psa_pushes (kind, ticket_id, body, internal, source_kind, source_id, details)
    select ${push.kind}, ${ticketId}, ${text}, ${internal}, 'session', ${push.sessionId}, ${jsonb(details)}
     where exists (select from psa_connections c where c.account_id = app.account_id() and c.is_active)
    on conflict (account_id, source_id, kind) where kind <> 'note' and state <> 'failed' do nothing
    returning id`
})

function toColumns(push: OncePush) {
  if (push.kind === 'ticket')
    return { ticketId: null, text: push.description, internal: false, details: push.details }
  const { ticketId, note, details } = push
  const { text, visibility } = note
  return {
    ticketId,
    text,
    internal: isInternalNote[visibility],
    details: { ...details, is_resolution: visibility === 'resolution' },
  }
}

/** Return the description of a new ticket as the note that the client reads. */
export const toDescriptionNote = (text: ClientText) => ({ visibility: 'client', text }) as const

function selectOncePush(db: ReadDb, { kind, sessionId }: OncePush) {
  return db
    .selectFrom('psa_pushes')
    .select('id')
    .where('account_id', '=', accountId)
    .where('source_id', '=', sessionId)
    .where('kind', '=', kind)
    .where('state', '!=', sql.lit('failed'))
}

/**
 * Prepare, insert and enqueue a push that its session makes once, in the transaction of `db`. Return its id,
 * or that of the earlier one. Return null when the account has no active connection.
 */
export async function enqueueOncePush(db: WriteDb, push: OncePush): Promise<string | null> {
  const prepared: OncePush =
    push.kind === 'ticket'
      ? { ...push, description: (await prepareNote(db, toDescriptionNote(push.description))).text }
      : { ...push, note: await prepareNote(db, push.note) }
  const [[inserted], [stored]] = await db.batch([
    insertOncePush.query(prepared),
    selectOncePush(db, prepared),
  ])
  if (inserted) db.outbox({ kind: 'push', id: inserted.id, attempt: 1 })
  return stored?.id ?? null
}
