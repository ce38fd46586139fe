import * as z from 'zod'
import { Uuid } from '#rules/uuid.ts'
import { Key } from './key.ts'

// The schema of a sub-flow: a flow that a step of another flow runs.

const hasAtMost50 = (record: object) => Object.keys(record).length <= 50
const OptionId = z.string().trim().min(1).max(100)

export const Subflow = z
  .strictObject({
    tree_id: Uuid.describe('The flow to run. Its current version is used when it starts.'),
    inputs: z
      .record(Key, z.string().trim().max(2000))
      .refine(hasAtMost50, 'must have at most 50 variables')
      .nullish()
      .describe(
        'Variables of the sub-flow. `{{key}}` is replaced by a variable of this flow. A single placeholder keeps the type of its value.',
      ),
    outputs: z
      .record(Key, Key)
      .refine(hasAtMost50, 'must have at most 50 variables')
      .nullish()
      .describe('Variables of this flow, each with the variable of the sub-flow that sets it.'),
    options: z
      .strictObject({
        resolved: OptionId.nullish().describe('The option for `resolved`.'),
        unresolved: OptionId.nullish().describe('The option for `unresolved`.'),
        escalated: OptionId.nullish().describe('The option for `escalated`.'),
        cancelled: OptionId.nullish().describe('The option for `cancelled`.'),
      })
      .nullish()
      .describe('For a decision: the id of the option that each outcome of the sub-flow chooses.'),
  })
  .describe('Runs another flow at this step.')
  .meta({
    id: 'Subflow',
    examples: [
      {
        tree_id: '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1e02',
        inputs: { gateway: '{{vpn_gateway}}' },
        outputs: { fault_location: 'location' },
      },
    ],
  })
export type Subflow = z.infer<typeof Subflow>
export type SubflowOutcome = keyof NonNullable<Subflow['options']>
