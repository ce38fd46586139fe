import * as z from 'zod'
import {
  AiSessionId,
  exampleSessionId,
  Fact,
  isTaskLaneSize,
  taskLaneFields,
  taskLaneSizeMessage,
} from '#functions/ai/sessions/schemas.ts'
import { ExpectedVersion, exampleIds, Id, Name, Text, Time, Version } from '#http/fields.ts'
import { Uuid } from '#rules/uuid.ts'

export const TriagePatch = z
  .strictObject({
    client_name: Name.nullable().describe('The client’s company.'),
    asset_name: Name.nullable().describe('The affected machine or device.'),
    issue_category: Name.nullable().describe('The category of the problem.'),
    triage_hypothesis: Text.nullable().describe('The most likely cause.'),
    evidence_items: z
      .array(z.string().trim().min(1).max(2000))
      .max(500)
      .describe(
        'All evidence, in order. Items left out are deleted. Items that stay keep their source and time.',
      ),
  })
  .partial()
  .prefault({})
  .meta({
    id: 'TriagePatch',
    examples: [{ client_name: 'Contoso Dental', evidence_items: ['The queue shows “Error - Printing”.'] }],
  })
export type TriagePatch = z.infer<typeof TriagePatch>

const exampleLane = {
  questions: [{ id: 'q1', text: 'Since when?', answered: true }],
  actions: [],
  responses: [],
}
export const TaskLanePut = z
  .strictObject({ ...taskLaneFields, expected_version: ExpectedVersion.optional() })
  .refine(({ expected_version: _, ...lane }) => isTaskLaneSize(lane), taskLaneSizeMessage)
  .meta({ id: 'TaskLanePut', examples: [{ ...exampleLane, expected_version: 3 }] })
export type TaskLanePut = z.infer<typeof TaskLanePut>
export const TaskLaneWithVersion = z
  .strictObject({ ...taskLaneFields, version: Version })
  .meta({ id: 'TaskLaneWithVersion', examples: [{ ...exampleLane, version: 4 }] })
export type TaskLaneWithVersion = z.infer<typeof TaskLaneWithVersion>

export const BranchId = AiSessionId.extend({ branch_id: Uuid.describe('Id of the branch.') })
export type BranchId = z.infer<typeof BranchId>

export const Branch = z
  .strictObject({
    id: Id,
    session_id: Id.describe('Id of the AI session.'),
    parent_branch_id: Id.nullable().describe('Id of the branch it starts from; null for the main branch.'),
    name: z.string().describe('Name of the branch.'),
    is_active: z.boolean().describe('Whether it is the active branch.'),
    created_at: Time,
    created_by: Id.describe('The user who created it.'),
  })
  .meta({
    id: 'AiBranch',
    examples: [
      {
        id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e59',
        session_id: exampleSessionId,
        parent_branch_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e53',
        name: 'What if it is the cable?',
        is_active: true,
        created_at: '2026-11-21T09:33:00.000Z',
        created_by: exampleIds.user,
      },
    ],
  })
export type Branch = z.infer<typeof Branch>

export const BranchCreate = z
  .strictObject({
    name: Name.describe('Name of the branch.'),
    from_message_id: Id.optional().describe(
      'The message of the active branch after which it starts; the last message when left out.',
    ),
  })
  .meta({ id: 'AiBranchCreate', examples: [{ name: 'What if it is the cable?' }] })
export type BranchCreate = z.infer<typeof BranchCreate>

const StateVersion = z
  .int()
  .describe('Increases with every change of a fact or a fix, except when the model proposes an outcome.')

export const FactList = z
  .strictObject({
    state_version: StateVersion,
    facts: z.array(Fact).describe('In the order in which they were first recorded.'),
  })
  .meta({ id: 'AiFacts', examples: [{ state_version: 1, facts: [] }] })
export type FactList = z.infer<typeof FactList>

export const FactPut = z
  .strictObject({
    key: Name.describe('The subject of the fact. A fact with the same key is updated.'),
    value: Text.describe('The value of the fact.'),
  })
  .meta({ id: 'AiFactCreate', examples: [{ key: 'printer', value: 'PRN-2F-03' }] })
export type FactPut = z.infer<typeof FactPut>

export const FactWithVersion = Fact.extend({ state_version: StateVersion }).meta({
  id: 'AiFactSettled',
  examples: [
    {
      id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c2e55',
      key: 'printer',
      value: 'PRN-2F-03',
      source: 'user' as const,
      created_by: exampleIds.user,
      created_at: '2026-11-21T09:31:00.000Z',
      updated_at: '2026-11-21T09:31:00.000Z',
      state_version: 2,
    },
  ],
})
export type FactWithVersion = z.infer<typeof FactWithVersion>
