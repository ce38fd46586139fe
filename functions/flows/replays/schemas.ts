import * as z from 'zod'
import { Id } from '#http/fields.ts'
import { replayResults } from '#rules/flows/replay.ts'
import { TreeStructure } from '#rules/flows/structure.ts'

export const ReplayCreate = z
  .strictObject({
    version: z
      .int()
      .min(1)
      .max(2_147_483_647)
      .optional()
      .describe('The version to play the runs through; by default the current one, also a draft.')
      .meta({ example: 2 }),
    tree_structure: TreeStructure.optional().describe(
      'A structure that was not saved, to play the runs through instead of a version.',
    ),
  })
  .refine(({ version, tree_structure }) => version === undefined || tree_structure === undefined, {
    path: ['version'],
    message: 'must be absent when tree_structure is set',
  })
  .prefault({})
  .meta({ id: 'ReplayCreate', example: { version: 2 } })
export type ReplayCreate = z.infer<typeof ReplayCreate>

const Result = z
  .enum(replayResults)
  .exclude(['unchanged'])
  .meta({ id: 'ReplayDifference', example: 'breaks' })
  .describe(
    '`ends_elsewhere`: the run ends at another step. `asks_new`: it reaches a step that it has not answered. `breaks`: its answer is not possible any more.',
  )

const counts = {
  ends_elsewhere: z
    .int()
    .describe('Runs that end elsewhere since their answer to this step.')
    .meta({ example: 0 }),
  asks_new: z.int().describe('Runs that have no answer to this step.').meta({ example: 3 }),
  breaks: z.int().describe('Runs whose answer to this step is not possible any more.').meta({ example: 1 }),
}

/** What became of all runs. */
export const ReplayCounts = z.strictObject({
  unchanged: z.int().describe('Runs that end as they did.').meta({ example: 36 }),
  ends_elsewhere: z.int().describe('Runs that end elsewhere.').meta({ example: 0 }),
  asks_new: z.int().describe('Runs that reach a step they have no answer to.').meta({ example: 3 }),
  breaks: z.int().describe('Runs with an answer that is not possible any more.').meta({ example: 1 }),
})

const ReplayExample = z
  .strictObject({
    session_id: Id.describe('The session of the run.'),
    result: Result,
    answer: z
      .string()
      .nullable()
      .describe('The recorded option, fallback step or outcome that is not possible any more.')
      .meta({ example: 'no' }),
  })
  .meta({ id: 'ReplayExample' })

const ReplayStep = z
  .strictObject({
    step_id: z.string().nullable().describe('The step; null if it was removed.'),
    old_step_id: z
      .string()
      .nullable()
      .describe('The step of the runs that it was matched with; null if it is new.')
      .meta({ example: 'ping' }),
    title: z
      .string()
      .describe('Its title, with unfilled placeholders.')
      .meta({ example: 'Is the light green?' }),
    matched_by: z
      .enum(['id', 'content'])
      .meta({ id: 'ReplayMatch', example: 'id' })
      .nullable()
      .describe('How the two were matched: by the same id, or by title and options.'),
    runs: z
      .int()
      .describe('Runs that reach the step; of a removed one, those that had answered it.')
      .meta({ example: 40 }),
    ...counts,
    example_runs: z
      .array(ReplayExample)
      .describe('The newest of the runs that differ at this step, at most three.'),
  })
  .meta({ id: 'ReplayStep' })

export const Replay = z
  .strictObject({
    tree_id: Id.describe('The flow.'),
    version: z.int().nullable().describe('The version that was played; null for a structure in the request.'),
    base_version: z
      .int()
      .nullable()
      .describe('The published version that the runs are of; null if none was published before.')
      .meta({ example: 1 }),
    runs: z
      .int()
      .describe(
        'The completed runs that were played: the newest of 90 days, at most 500 with 50,000 answers.',
      )
      .meta({ example: 40 }),
    ...ReplayCounts.shape,
    steps: z.array(ReplayStep).describe('The steps in reading order, then those that were removed.'),
  })
  .meta({ id: 'Replay' })
export type Replay = z.infer<typeof Replay>
