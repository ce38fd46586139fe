import type { Reporter, TestModule } from 'vitest/node'
import type { Costs } from './costs.ts'

const shown = 40

/** Prints what each test file has spent, the dearest first. */
// biome-ignore lint/style/noDefaultExport: vitest expects a default export
export default class CostsReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => {
      const { own, children, starts } = module.meta().costs ?? { own: 0, children: 0, starts: {} }
      const seconds = (module.diagnostic().duration + module.diagnostic().collectDuration) / 1000
      return { file: module.relativeModuleId, processor: own + children, own, children, seconds, starts }
    })
    const sorted = files.toSorted((a, b) => b.processor - a.processor)
    console.table(
      sorted.slice(0, shown).map(({ file, processor, own, children, seconds }) => ({
        file,
        processor: round(processor),
        own: round(own),
        children: round(children),
        seconds: round(seconds),
      })),
    )
    const total = files.reduce((sum, { processor }) => sum + processor, 0)
    const first = sorted.slice(0, shown).reduce((sum, { processor }) => sum + processor, 0)
    console.log(
      `${files.length} files: ${round(total)} s of processor time, of these ${round(first)} s in the ${shown} above`,
    )
    for (const [platform, { count, seconds }] of Object.entries(addStarts(files.map(({ starts }) => starts))))
      console.log(
        `${count} services with databases of their own on ${platform}: ${round(seconds / count)} s each`,
      )
  }
}

const round = (seconds: number) => Math.round(seconds * 100) / 100

function addStarts(all: readonly Costs['starts'][]): Costs['starts'] {
  const sums: Costs['starts'] = {}
  for (const starts of all)
    for (const [platform, { count, seconds }] of Object.entries(starts)) {
      const sum = sums[platform] ?? { count: 0, seconds: 0 }
      sums[platform] = { count: sum.count + count, seconds: sum.seconds + seconds }
    }
  return sums
}
