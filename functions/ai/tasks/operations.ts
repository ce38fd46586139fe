import * as z from 'zod'
import { operation } from '#http/operation.ts'
import * as schemas from './schemas.ts'
import * as tasks from './service.ts'

export const aiTaskOperations = [
  operation({
    id: 'ai.tasks.list',
    route: 'GET /ai/tasks',
    summary: 'List my AI tasks',
    description:
      'My stored requests to the model of the last 24 hours, newest first. A request is stored if it is sent with `Prefer: respond-async`, if its connection ends before the answer, or if it takes longer than two seconds.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.TaskQuery,
    returns: z.array(schemas.AiTaskItem),
    handle: ({ ctx, query }) => tasks.list(ctx, query),
  }),

  operation({
    id: 'ai.tasks.get',
    route: 'GET /ai/tasks/{task_id}',
    summary: 'Get an AI task with its answer',
    description:
      'When a job has finished the task, the escalation stream sends the event `ai_task_finished`, and `job_progressed` at each call to the model. A task that its first request answers sends `job_progressed` alone.',
    access: 'user',
    limit: 'read',
    params: schemas.TaskId,
    returns: schemas.AiTask,
    handle: ({ ctx, params }) => tasks.get(ctx, params.task_id),
  }),
]
