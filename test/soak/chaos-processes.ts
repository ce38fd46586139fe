import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '#local/root.ts'
import type { OwnService } from '#test/support/app.ts'
import { type NodeChild, spawnNode, toServeSettings, waitForOutput } from '#test/support/node-child.ts'

/** A process of the service that runs. */
export type Instance = Pick<NodeChild, 'api' | 'output'>

/** A place for one process of the service, which dies and starts again, at times with another version. */
export interface Slot {
  isPrevious: boolean
  starts: number
}

export interface Processes {
  slots: readonly Slot[]
  start(slot: Slot, isPrevious: boolean): Promise<void>
  /** Kill a process without a warning, or have it stop in order. */
  stop(slot: Slot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** List the processes that run. */
  list(): Instance[]
}

interface NodeSlot extends Slot {
  /** Undefined while no process runs. */
  child: NodeChild | undefined
}

/** Keep two Node processes of the service on one database, one Redis and one folder of uploads. */
export function createNodeProcesses(
  settings: Record<string, string>,
  changes: Record<string, string | undefined>,
  folders: { objects: string; previous: string },
): Processes {
  const slots: NodeSlot[] = [0, 1].map(() => ({ child: undefined, isPrevious: false, starts: 0 }))
  const serveSettings = toServeSettings(settings, folders.objects, changes)
  return {
    slots,
    async start(slot, isPrevious) {
      const child = await spawnNode(serveSettings, isPrevious ? folders.previous : root)
      await Promise.race([waitForOutput(child, '"listening"'), child.exited])
      if (!child.output().includes('"listening"'))
        throw new Error(`The service did not start: ${child.output().slice(-2000)}`)
      Object.assign(slot, { child, isPrevious, starts: slot.starts + 1 })
    },
    async stop(slot, signal) {
      const place = slot as NodeSlot
      const { child } = place
      place.child = undefined
      child?.process.kill(signal)
      await child?.exited
    },
    list: () => slots.flatMap(({ child }) => child ?? []),
  }
}

/** Keep the workerd of a service. Miniflare starts another one when it dies. */
export function createWorkerProcess({ api, log }: OwnService): Processes {
  const slot: Slot = { isPrevious: false, starts: 0 }
  const instance: Instance = { api, output: () => log.join('\n') }
  const isUp = () =>
    fetch(`${api}/health`, { signal: AbortSignal.timeout(1000) })
      .then(({ ok }) => ok)
      .catch(() => false)
  let running: Instance[] = []
  return {
    slots: [slot],
    async start() {
      for (let tries = 0; !(await isUp()); tries++) {
        if (tries === 300) throw new Error('The Worker did not start')
        await sleep(100)
      }
      running = [instance]
      slot.starts++
    },
    async stop() {
      running = []
      const pids = listWorkerdPids()
      if (pids.length === 0) throw new Error('No workerd runs')
      for (const pid of pids) process.kill(pid, 'SIGKILL')
    },
    list: () => running,
  }
}

/** List the ids of the workerd processes that this process has started. */
function listWorkerdPids(): number[] {
  const lines = execFileSync('ps', ['-o', 'pid=,comm=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  }).split('\n')
  return lines.filter((line) => /workerd/.test(line)).map((line) => Number.parseInt(line, 10))
}
