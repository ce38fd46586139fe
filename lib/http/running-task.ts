import type { Caller } from '#db/scope.ts'

/** A stored request whose operation a job calls. */
export interface RunningTask {
  id: string
  caller: Caller
}

/**
 * The key of the running task in the environment of a call. It is a symbol, so that no binding and no client
 * can set it.
 */
const taskKey = Symbol('task')

/** Return the task that a job runs with this call, or undefined for a client's request. */
export function readRunningTask(env: unknown): RunningTask | undefined {
  return (env as { [taskKey]?: RunningTask } | undefined)?.[taskKey]
}

/** Return the environment of a call that runs a task. */
export function toTaskEnvironment(task: RunningTask): object {
  return { [taskKey]: task }
}
