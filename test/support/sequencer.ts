import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The files in the order of their start. All others follow in vitest's order. */
const order: readonly RegExp[] = [
  // They take longest and keep a processor busy.
  /\/contract\/(fuzz|operations)\.test/,
  // They mostly wait for heartbeats, time-outs and processes, so they run beside those above.
  /\/platform\/(jobs|queue|node-entry|wrong-connections)\.test/,
  /\/functions\/(ai\/(escalation-stream|assessments)|psa\/psa|maintenance\/maintenance-ticks|billing\/billing|http\/health)\.test/,
  /\/vendors\/net\/outbound\.test/,
  /\/contract\//,
]

/**
 * A sequencer that starts the longest test files first. Without timings of an earlier run, vitest would start
 * the largest first.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const findPlace = ({ moduleId }: TestSpecification) => {
      const place = order.findIndex((pattern) => pattern.test(moduleId))
      return place === -1 ? order.length : place
    }
    return (await super.sort(files)).sort((a, b) => findPlace(a) - findPlace(b))
  }
}
