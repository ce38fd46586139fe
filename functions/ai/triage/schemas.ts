import * as z from 'zod'
import {
  AiSessionId,
  Fact,
  isTaskLaneSize,
  taskLaneFields,
  taskLaneSizeMessage,
} from '#functions/ai/sessions/schemas.ts'
import { ExpectedVersion, Id, Name, Text, Time, Version } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const TriagePatch = z
  .strictObject({
    client_name: Name.nullable().describe('The client’s company.'),
    asset_name: Name.nullable().describe('The affected machine or device.'),
    issue_category: Name.nullable().describe('The category of the problem.'),
    triage_hypothesis: Text.nullable().describe('The suspected cause.'),
    cause_confirmed: z
      .boolean()
      .describe('Whether you confirm it as the cause. Another hypothesis is not confirmed.'),
    evidence_items: z
      .array(z.string().trim().min(1).max(2000))
      .max(500)
      .describe(
        'All evidence, in order. Items left out are deleted. Items that stay keep their source and time.',
      )
      .meta({ example: ['The queue shows “Error - Printing”.'] }),
  })
  .partial()
  .prefault({})
  .meta({ id: 'TriagePatch' })
export type TriagePatch = z.infer<typeof TriagePatch>

export const TaskLanePut = z
  .strictObject({ ...taskLaneFields, expected_version: ExpectedVersion.optional() })
  .refine(({ expected_version: _, ...lane }) => isTaskLaneSize(lane), taskLaneSizeMessage)
  .meta({ id: 'TaskLanePut' })
export type TaskLanePut = z.infer<typeof TaskLanePut>
export const TaskLaneWithVersion = z
  .strictObject({ ...taskLaneFields, version: Version })
  .meta({ id: 'TaskLaneWithVersion' })
export type TaskLaneWithVersion = z.infer<typeof TaskLaneWithVersion>

export const BranchId = AiSessionId.extend({ branch_id: Uuid.describe('Id of the branch.') })
export type BranchId = z.infer<typeof BranchId>

export const Branch = z
  .strictObject({
    id: Id,
    session_id: Id.describe('Id of the AI session.'),
    parent_branch_id: Id.nullable()
      .describe('Id of the branch it starts from; null for the main branch.')
      .meta({ example: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e53' }),
    name: z.string().describe('Name of the branch.').meta({ example: 'What if it is the cable?' }),
    is_active: z.boolean().describe('Whether it is the active branch.'),
    created_at: Time,
    created_by: Id.describe('The user who created it.'),
  })
  .meta({ id: 'AiBranch' })
export type Branch = z.infer<typeof Branch>

export const BranchCreate = z
  .strictObject({
    name: Name.describe('Name of the branch.').meta({ example: 'What if it is the cable?' }),
    from_message_id: Id.optional().describe(
      'The message of the active branch after which it starts; the last message when left out.',
    ),
  })
  .meta({ id: 'AiBranchCreate' })
export type BranchCreate = z.infer<typeof BranchCreate>

const StateVersion = z
  .int()
  .describe('Increases with every change of a fact or a fix, except when the model proposes an outcome.')

export const FactList = z
  .strictObject({
    state_version: StateVersion,
    facts: z.array(Fact).describe('In the order in which they were first recorded.'),
  })
  .meta({ id: 'AiFacts' })
export type FactList = z.infer<typeof FactList>

export const FactPut = z
  .strictObject({
    key: Name.describe('The subject of the fact. A fact with the same key is updated.').meta({
      example: 'printer',
    }),
    value: Text.describe('The value of the fact.').meta({ example: 'PRN-2F-03' }),
  })
  .meta({ id: 'AiFactCreate' })
export type FactPut = z.infer<typeof FactPut>

export const FactWithVersion = Fact.extend({ state_version: StateVersion.meta({ example: 2 }) }).meta({
  id: 'AiFactSettled',
})
export type FactWithVersion = z.infer<typeof FactWithVersion>
