import { root } from '#local/root.ts'
import { type NodeChild, spawnNode, toServeSettings, waitForOutput } from '#test/support/node-child.ts'

/** A place for one process of the service, which dies and starts again, at times with another version. */
export interface Slot {
  /** Undefined while no process runs. */
  child: NodeChild | undefined
  isPrevious: boolean
  /** Whether the last fault left it stopped. */
  starts: number
}

export interface Processes {
  slots: Slot[]
  start(slot: Slot, isPrevious: boolean): Promise<void>
  /** Kill a process without a warning, or have it stop in order. */
  stop(slot: Slot, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  /** List the processes that run. */
  list(): NodeChild[]
}

/** Keep two processes of the service on one database, one Redis and one folder of uploads. */
export function createProcesses(
  settings: Record<string, string>,
  changes: Record<string, string | undefined>,
  folders: { objects: string; previous: string },
): Processes {
  const slots: Slot[] = [0, 1].map(() => ({ child: undefined, isPrevious: false, starts: 0 }))
  const serveSettings = toServeSettings(settings, folders.objects, changes)
  return {
    slots,
    async start(slot, isPrevious) {
      const child = await spawnNode(serveSettings, isPrevious ? folders.previous : root)
      await Promise.race([waitForOutput(child, '"listening"'), child.exited])
      if (!child.output().includes('"listening"')) throw new Error(`The service did not start: ${child.output().slice(-2000)}`)
      Object.assign(slot, { child, isPrevious, starts: slot.starts + 1 })
    },
    async stop(slot, signal) {
      const { child } = slot
      slot.child = undefined
      child?.process.kill(signal)
      await child?.exited
    },
    list: () => slots.flatMap(({ child }) => child ?? []),
  }
}
