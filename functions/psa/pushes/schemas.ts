import * as z from 'zod'
import { exampleIds, Id, idParams, Time } from '../../../lib/http/fields.ts'

export const PushId = idParams('push_id', 'push')

const State = z
  .enum(['queued', 'retrying', 'pushed', 'failed'])
  .describe(
    '`queued`: not attempted yet. `retrying`: waits for a retry. `pushed`: added to the ticket. `failed`: no further attempt follows.',
  )
const SourceKind = z
  .enum(['session', 'ai_session', 'output'])
  .describe('What the note documents: a session, an AI session or an output of an AI session.')

export const Push = z
  .strictObject({
    id: Id,
    ticket_id: z.string().describe('Id of the ticket in the ticketing system.'),
    internal: z.boolean().describe('Whether the note is hidden from the client.'),
    source_kind: SourceKind,
    source_id: Id.describe('Id of the session, AI session or output that the note documents.'),
    requested_by: Id.nullable().describe('The user who requested it; null when a job did.'),
    state: State,
    attempts: z.int().describe('Number of attempts.'),
    last_error: z.string().nullable().describe('Why the last attempt failed.'),
    next_attempt_at: Time.nullable().describe('When the next attempt is due; null when there is none.'),
    pushed_at: Time.nullable().describe('When the note was added to the ticket.'),
    provider_note_id: z.string().nullable().describe('Id of the note in the ticketing system.'),
    created_at: Time,
  })
  .meta({
    id: 'PsaPush',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1f71',
        ticket_id: '4711',
        internal: true,
        source_kind: 'session',
        source_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e21',
        requested_by: exampleIds.user,
        state: 'retrying',
        attempts: 1,
        last_error: 'The ticketing system did not answer in time',
        next_attempt_at: '2026-11-21T09:30:30.000Z',
        pushed_at: null,
        provider_note_id: null,
        created_at: '2026-11-21T09:30:00.000Z',
      },
    ],
  })
export type Push = z.infer<typeof Push>

export const PushQuery = z.strictObject({
  state: State.optional().describe('Only notes in this state.'),
  source_id: z.uuid().optional().describe('Only notes of this session, AI session or output.'),
})
export type PushQuery = z.infer<typeof PushQuery>

export const SessionPush = z
  .strictObject({ internal: z.boolean().default(true).describe('Whether the note is hidden from the client.') })
  .prefault({})
  .meta({ id: 'SessionPush', examples: [{ internal: true }] })

export const PushJob = z.strictObject({
  push_id: z.uuid(),
  attempt: z.int().min(1),
})
