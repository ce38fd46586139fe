import * as z from 'zod'
import { exampleItem, Outcome, State, TargetLabel, Variables } from '#functions/sessions/sessions/schemas.ts'
import { Id, idParams, Name } from '#http/fields.ts'

export const BatchId = idParams('batch_id', 'batch')

export const BatchTarget = z
  .strictObject({
    label: TargetLabel.describe('Name of the target, such as a device, a client or a site.'),
    variables: Variables.optional(),
  })
  .meta({
    id: 'BatchTarget',
    examples: [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01.contoso.example' } }],
  })

export const BatchCreate = z
  .strictObject({
    tree_id: Id.describe('A published maintenance flow of my team.'),
    targets: z.array(BatchTarget).min(1).max(100).describe('What to run the flow on; one session for each.'),
    client_name: Name.optional().describe('The client of all sessions.'),
    ticket_number: Name.optional().describe('The ticket of all sessions.'),
  })
  .meta({
    id: 'BatchCreate',
    examples: [
      {
        tree_id: exampleItem.tree_id,
        targets: [{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01.contoso.example' } }],
      },
    ],
  })
export type BatchCreate = z.infer<typeof BatchCreate>

export const exampleBatchId = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e32'
export const Batch = z
  .strictObject({
    batch_id: Id.describe('Id of the batch, which is the `batch_id` of every session.'),
    sessions: z
      .array(
        z.strictObject({
          id: Id.describe('Id of the session.'),
          target_label: z.string().describe('Target of the session.'),
        }),
      )
      .describe('The prepared sessions, one per target, in the order of the targets.'),
  })
  .meta({
    id: 'BatchResponse',
    examples: [{ batch_id: exampleBatchId, sessions: [{ id: exampleItem.id, target_label: 'SRV-DC-01' }] }],
  })
export type Batch = z.infer<typeof Batch>

const countFields = (names: readonly string[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, z.int().describe(`Number of sessions that are ${name}.`)])),
  )

export const ByState = countFields(State.options)
  .meta({ id: 'SessionsByState' })
  .describe('Number of sessions in each state.')
export const ByOutcome = countFields(Outcome.options)
  .meta({ id: 'SessionsByOutcome' })
  .describe('Number of sessions completed with each outcome.')
export const exampleCounts = {
  by_state: { prepared: 1, in_progress: 1, completed: 1, abandoned: 0 },
  by_outcome: { resolved: 1, unresolved: 0, escalated: 0, cancelled: 0 },
}

export const BatchProgress = z
  .strictObject({
    batch_id: Id,
    tree_id: Id.describe('The flow that the sessions run.'),
    total: z.int().describe('Number of sessions in the batch.'),
    by_state: ByState,
    by_outcome: ByOutcome,
    percent: z.int().describe('Percentage of sessions that are completed or abandoned, rounded down.'),
  })
  .meta({
    id: 'BatchProgressResponse',
    examples: [
      {
        batch_id: exampleBatchId,
        tree_id: exampleItem.tree_id,
        total: 3,
        ...exampleCounts,
        percent: 33,
      },
    ],
  })
