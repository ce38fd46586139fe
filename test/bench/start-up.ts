import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { builtAssets, listBuiltModules } from '#local/worker.ts'
import { median } from '#test/support/measure.ts'
import { readMainThreadCpuMicros } from './cpu.ts'
import { type Module, startWorkerd } from './workerd.ts'

/** What workerd needs with one Worker, in milliseconds of processor time of the thread that runs the code. */
interface StartCost {
  /** Until the code outside of functions has run. workerd listens before that. */
  start: number
  /** The first request, which assembles the app and needs no dependency. */
  firstRequest: number
  /** The first request to an operation, which loads the operations of its group. */
  firstOperation: number
}

/** The costs of the service's Worker and of an empty one. */
export interface StartUp {
  worker: StartCost
  empty: StartCost
}

interface MeasuredBundle {
  modules: readonly Module[]
  objects: Record<string, string>
  /** Its status for a request without a token. */
  unauthorized: number
  costs: StartCost[]
}

// Of what it needs, 65 ms are for the modules that it loads at once. workerd also compiles those that are
// loaded on first use, which takes 25 ms a megabyte.
const goalMs = 150
/** What it has reached, with room for a slower machine. */
const boundMs = 300
const starts = 5
// A process has started that uses less processor time than this in this time.
const idleMs = 250
const idleCpuMs = 0.5

/**
 * Start both Workers in turns, and return the medians. Needs Linux, which reports the processor time of
 * another process.
 */
export async function measureStartUp(settings: Record<string, string>): Promise<StartUp> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-start-'))
  const path = join(folder, 'empty.js')
  await writeFile(path, 'export default { fetch: () => new Response() }')
  const empty: MeasuredBundle = {
    modules: [{ type: 'ESModule', path }],
    objects: {},
    unauthorized: 200,
    costs: [],
  }
  const objects = { ESCALATION_HUB: 'EscalationHub' }
  const worker: MeasuredBundle = { modules: listBuiltModules(), objects, unauthorized: 401, costs: [] }
  for (let n = 0; n < starts; n++)
    for (const [name, bundle] of Object.entries({ empty, worker })) {
      const place = join(folder, `${name}-${n}`)
      await mkdir(place)
      bundle.costs.push(await measureStart(place, bundle, settings))
    }
  await rm(folder, { recursive: true, force: true })
  return { worker: toMedians(worker.costs), empty: toMedians(empty.costs) }
}

async function measureStart(
  folder: string,
  { modules, objects, unauthorized }: MeasuredBundle,
  settings: Record<string, string>,
): Promise<StartCost> {
  const { port, pid, stop } = await startWorkerd(folder, modules, settings, { objects, assets: builtAssets })
  const measureRequest = async (path: string, expectedStatus: number) => {
    const before = await readCpuWhenIdle(pid)
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    if (response.status !== expectedStatus)
      throw new Error(`The Worker answered ${path} with ${response.status}`)
    await response.arrayBuffer()
    return (await readCpuWhenIdle(pid)) - before
  }
  try {
    const start = await readCpuWhenIdle(pid)
    const firstRequest = await measureRequest('/health', 200)
    return { start, firstRequest, firstOperation: await measureRequest('/api/v1/trees', unauthorized) }
  } finally {
    stop()
  }
}

async function readCpuWhenIdle(pid: number): Promise<number> {
  const readMs = () => (readMainThreadCpuMicros(pid) ?? 0) / 1000
  let ms = -1
  while (readMs() - ms > idleCpuMs) {
    ms = readMs()
    await pause(idleMs)
  }
  return ms
}

function toMedians(costs: readonly StartCost[]): StartCost {
  const medianOf = (part: keyof StartCost) => median(costs.map((cost) => cost[part]))
  return {
    start: medianOf('start'),
    firstRequest: medianOf('firstRequest'),
    firstOperation: medianOf('firstOperation'),
  }
}

/**
 * Print the start-up of the service's code alone, without that of workerd. Return whether it meets its goal.
 */
export function printStartUp({ worker, empty }: StartUp): boolean {
  const ms = Math.round(worker.start - empty.start)
  const state = ms <= goalMs ? 'met' : 'missed'
  console.log(
    `\nStart-up of the Worker: ${ms} ms of processor time (≤ ${goalMs}) ${state}, besides the ${Math.round(empty.start)} ms of workerd itself.`,
  )
  console.log(
    `Its first request, which assembles the app: ${Math.round(worker.firstRequest - empty.firstRequest)} ms more.`,
  )
  console.log(
    `The first request to an operation, which loads its group: ${Math.round(worker.firstOperation - empty.firstOperation)} ms more.`,
  )
  return ms <= boundMs
}
