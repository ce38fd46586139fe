import * as z from 'zod'
import { Id, idParams, Time } from '#http/fields.ts'
import { progressField } from '#http/progress.ts'
import { JsonValue } from '#rules/json-value.ts'

export const TaskId = idParams('task_id', 'task')

export const TaskState = z
  .enum(['queued', 'retrying', 'finished', 'failed'])
  .meta({ id: 'AITaskState' })
  .describe(
    '`finished`: `response` is the answer, which can be an error. `failed`: no attempt got an answer.',
  )

const taskFields = {
  id: Id,
  operation: z.string().describe('The operation of the request.'),
  state: TaskState,
  attempts: z.int().describe('Number of attempts that jobs have made.'),
  progress: progressField('calls to the model; another one may follow, such as after a search', {
    id: 'AITaskPhase',
    phases: ['waiting', 'asking', 'finished'],
    meaning: '`waiting`: the model was not asked yet. `finished`: nothing follows.',
  }),
  response_status: z.int().nullable().describe('Status of the answer; null until it has finished.'),
  created_at: Time,
  finished_at: Time.nullable().describe('When it was answered; null until then.'),
}

export const AiTaskItem = z.strictObject(taskFields).meta({ id: 'AITaskItem' })
export const AiTask = z
  .strictObject({
    ...taskFields,
    response: JsonValue.nullable()
      .describe('Body of the answer; null until it has finished.')
      .meta({ example: { message: { role: 'assistant', content: 'Restart the spooler.' } } }),
  })
  .meta({ id: 'AITask' })
export type AiTask = z.infer<typeof AiTask>

export const TaskQuery = z.strictObject({ state: TaskState.optional().describe('Only tasks in this state.') })
export type TaskQuery = z.infer<typeof TaskQuery>
