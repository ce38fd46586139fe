import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtAssets, listBuiltModules } from '../../lib/local/worker.ts'
import { median } from '../support/measure.ts'
import { type Module, startWorkerd } from './workerd.ts'

/** How long workerd takes until it answers, in milliseconds: with the service's Worker and with an empty one. */
export interface StartUp {
  worker: number
  empty: number
}

const goalMs = 150
const starts = 7

/** Measure both Workers in turns, and return the medians. */
export async function measureStartUp(settings: Record<string, string>): Promise<StartUp> {
  const folder = await mkdtemp(join(tmpdir(), 'flow-start-'))
  const path = join(folder, 'empty.js')
  await writeFile(path, 'export default { fetch: () => new Response() }')
  const times = { worker: [] as number[], empty: [] as number[] }
  for (let n = 0; n < starts; n++) {
    const startIn = async (name: string, modules: readonly Module[], objects: Record<string, string>) => {
      const place = join(folder, `${name}-${n}`)
      await mkdir(place)
      return measureStart(place, modules, settings, objects)
    }
    times.empty.push(await startIn('empty', [{ type: 'ESModule', path }], {}))
    times.worker.push(await startIn('worker', listBuiltModules(), { ESCALATION_HUB: 'EscalationHub' }))
  }
  await rm(folder, { recursive: true, force: true })
  return { worker: median(times.worker), empty: median(times.empty) }
}

async function measureStart(folder: string, modules: readonly Module[], settings: Record<string, string>, objects: Record<string, string>) {
  const worker = await startWorkerd(folder, modules, settings, { objects, assets: builtAssets })
  const response = await fetch(`http://127.0.0.1:${worker.port}/health`)
  const ms = performance.now() - worker.spawnedAt
  await response.arrayBuffer()
  worker.stop()
  if (!response.ok) throw new Error(`The Worker answered ${response.status} after its start`)
  return ms
}

/** Print the start-up of the service's code alone, without that of workerd. Return whether it meets its goal. */
export function printStartUp({ worker, empty }: StartUp): boolean {
  const ms = worker - empty
  const state = ms <= goalMs ? 'met' : 'MISSED'
  console.log(
    `\nStart-up of the Worker's code: ${Math.round(ms)} ms (≤ ${goalMs}) ${state}; an empty Worker answers after ${Math.round(empty)} ms`,
  )
  return ms <= goalMs
}
