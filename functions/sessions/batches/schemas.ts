import * as z from 'zod'
import { Outcome, State, TargetLabel, Variables } from '#functions/sessions/sessions/schemas.ts'
import { Id, idParams, Name } from '#http/fields.ts'
import { refuseRepeats } from '#rules/text/duplicates.ts'

export const BatchId = idParams('batch_id', 'batch')

export const BatchTarget = z
  .strictObject({
    label: TargetLabel.describe('Name of the target, such as a device, a client or a site.').meta({
      example: 'SRV-DC-01',
    }),
    variables: Variables.optional(),
  })
  .meta({ id: 'BatchTarget' })

/** What flows are run on, 1 to `max`. A machine in two spellings is one. */
export const batchTargets = (max: number) =>
  z
    .array(BatchTarget)
    .min(1)
    .max(max)
    .superRefine(refuseRepeats(({ label }) => label))

export const BatchCreate = z
  .strictObject({
    tree_id: Id.describe('A published maintenance flow of my team.'),
    targets: batchTargets(100).describe('What to run the flow on, each once; one session for each.'),
    client_name: Name.optional().describe('The client of all sessions.'),
    ticket_number: Name.optional().describe('The ticket of all sessions.'),
  })
  .meta({ id: 'BatchCreate' })
export type BatchCreate = z.infer<typeof BatchCreate>
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
  .meta({ id: 'BatchResponse' })
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

export const BatchProgress = z
  .strictObject({
    batch_id: Id,
    tree_id: Id.describe('The flow that the sessions run.'),
    total: z.int().describe('Number of sessions in the batch.').meta({ example: 3 }),
    by_state: ByState,
    by_outcome: ByOutcome,
    percent: z
      .int()
      .describe('Percentage of sessions that are completed or abandoned, rounded down.')
      .meta({ example: 33 }),
  })
  .meta({ id: 'BatchProgressResponse' })
