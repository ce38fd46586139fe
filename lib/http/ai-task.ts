import {
  finishAiTask,
  insertAiTask,
  lockTasks,
  maxOpenTasks,
  type NewAiTask,
  renewAiTask,
} from '#db/rows/ai-tasks.ts'
import type { Caller, Scope, WriteDb } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'
import { limitReached } from '#problem.ts'
import { type C, type Services, toProblem } from './app.ts'
import type { AnyOperation } from './operation.ts'
import { setHeader } from './respond.ts'
import type { RenderedResponse } from './response.ts'
import { type RunningTask, toTaskEnvironment } from './running-task.ts'
import type { TaskProgress } from './task-progress.ts'

// A request that takes longer than this is stored. On Cloudflare, `waitUntil` allows 30 s of work after the
// client has disconnected:
// https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil. Only some disconnects abort the request's signal there.
const storeAfterMs = 2000
// A job takes over a stored request if its process has not renewed the task for this long.
const takeOverSeconds = 60
const renewEveryMs = 20_000
const prefix = '/api/v1'

/** Return whether the client asks for an answer in the background (RFC 7240, section 4.1). */
export function prefersAsync(request: Request): boolean {
  return (request.headers.get('prefer') ?? '')
    .split(',')
    .some((preference) => preference.trim().toLowerCase() === 'respond-async')
}

interface StoredRequest {
  c: C
  op: AnyOperation
  caller: Caller
  rawBody: string
}

function toNewTask({ c, op, caller, rawBody }: StoredRequest, id: string, delaySeconds: number): NewAiTask {
  const { pathname, search } = new URL(c.req.url)
  return {
    id,
    signInId: caller.signInId,
    operation: op.id,
    path: `${pathname.slice(prefix.length)}${search}`,
    body: rawBody,
    delaySeconds,
  }
}

/**
 * Store the request as a task and answer 202 with its address. Throw 409 `limit_reached` when the caller has
 * 20 open tasks.
 */
export async function acceptTask(db: WriteDb, request: StoredRequest): Promise<RenderedResponse> {
  const id = uuidv7()
  await lockTasks.run(db)
  const stored = await insertAiTask.first(db, toNewTask(request, id, 0))
  if (!stored)
    throw limitReached(
      'tasks',
      maxOpenTasks,
      `You have ${maxOpenTasks} open tasks; wait until one has finished`,
    )
  db.outbox({ kind: 'ai_task', id, attempt: 1 })
  setHeader(request.c, 'preference-applied', 'respond-async')
  return {
    status: 202,
    body: JSON.stringify({ task_id: id, state: 'queued' }),
    location: `${prefix}/ai/tasks/${id}`,
  }
}

/**
 * Store the request as a task when its client disconnects, or after two seconds. Then store the answer in the
 * task. If this process stops before the answer, a job calls the operation again with the same `id`. An
 * answer within two seconds to a connected client stores nothing, and neither does a request beyond the limit
 * of open tasks.
 */
export function storeUnlessAnswered(
  request: StoredRequest,
  { scope, id, progress }: { scope: Scope; id: string; progress: TaskProgress },
  answer: Promise<RenderedResponse>,
): void {
  const { c } = request
  const { signal } = c.req.raw
  let insertion: Promise<unknown> | undefined
  const store = () => {
    insertion ??= insertAiTask
      .first(scope.db, toNewTask(request, id, takeOverSeconds))
      .then((stored) => stored && progress.show())
      .catch(() => {})
    c.executionCtx.waitUntil(insertion)
  }
  const renew = () => void (insertion && renewAiTask.run(scope.db, id, takeOverSeconds).catch(() => {}))
  const timers = [setTimeout(store, storeAfterMs), setInterval(renew, renewEveryMs)]
  signal.addEventListener('abort', store)
  const finish = async ({ status, body }: Pick<RenderedResponse, 'status' | 'body'>) => {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', store)
    await insertion
    // After any other status, the operation could not do its work now, so the job retries it.
    if (!insertion || (status >= 500 && status !== 502)) return
    const finished = await finishAiTask.first(scope.db, id, { status, body }, progress.counts)
    if (finished) progress.finish(finished.calls_started)
  }
  c.executionCtx.waitUntil(answer.catch(toFailure).then(finish))
}

function toFailure(error: unknown): Pick<RenderedResponse, 'status' | 'body'> {
  const { status, body } = toProblem(error)
  return { status, body: JSON.stringify(body) }
}

/** A stored request that a job answers. */
export interface TaskRequest extends RunningTask {
  path: string
  body: string
}

/**
 * Call the operation of a stored request as its caller, whose sign-in must still be valid. Return the answer,
 * which can be an error.
 */
export async function callStoredRequest(
  { dispatch, ports }: Services,
  { path, body, ...task }: TaskRequest,
): Promise<RenderedResponse> {
  if (!dispatch) throw new Error('The app is not assembled, so no stored request can be answered')
  const effects: Promise<unknown>[] = []
  const execution = {
    waitUntil: (effect: Promise<unknown>) => void effects.push(effect),
    passThroughOnException() {},
    props: {},
  }
  const headers = { 'content-type': 'application/json', 'x-request-id': task.id }
  // A proxy removes the path of the public address before a request arrives here.
  const request = new Request(new URL(`${prefix}${path}`, ports.config.PUBLIC_BASE_URL), {
    method: 'POST',
    headers,
    body,
  })
  const response = await dispatch(request, toTaskEnvironment(task), execution)
  const text = await response.text()
  await Promise.allSettled(effects)
  return { status: response.status, body: text }
}
