import * as z from 'zod'
import { operation } from '../../../lib/http/operation.ts'
import * as schemas from './schemas.ts'
import * as tasks from './service.ts'

export const aiTaskOperations = [
  operation({
    id: 'ai.tasks.list',
    method: 'get',
    path: '/ai/tasks',
    summary: 'List my AI tasks',
    description:
      'Requests to the model that go on without me, of the last 24 hours, newest first: those sent with `Prefer: respond-async`, those whose connection ended before the answer, and those that took longer than two seconds.',
    access: 'user',
    limit: 'read',
    paged: true,
    query: schemas.TaskQuery,
    success: 200,
    returns: z.array(schemas.AiTaskItem),
    handle: ({ ctx, query }) => tasks.list(ctx, query),
  }),

  operation({
    id: 'ai.tasks.get',
    method: 'get',
    path: '/ai/tasks/{task_id}',
    summary: 'Get an AI task with its answer',
    description: 'The event `ai_task_finished` of the escalation stream says when to fetch it.',
    access: 'user',
    limit: 'read',
    params: schemas.TaskId,
    success: 200,
    returns: schemas.AiTask,
    handle: ({ ctx, params }) => tasks.get(ctx, params.task_id),
  }),
]
