import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget, runWithin } from '#rules/budget.ts'
import { type RecordedRun, type Replay, replayResults, replayRuns } from '#rules/flows/replay.ts'
import { findAnswerableStep } from '#rules/flows/step-navigation.ts'
import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import { createEnd, createSolution, createStep } from '#test/support/flow-nodes.ts'
import { printerFlow } from '#test/support/flows.ts'
import { night } from '#test/support/night.ts'
import { findOldStep, largeReplayCase, replayCase, replaySlowly } from '#test/support/replays.ts'

const flow = () =>
  printerFlow() as FlowNode & { children: FlowNode[]; options: { id: string; label: string }[] }
const run = (fields: Partial<RecordedRun> = {}): RecordedRun => ({
  id: 'r',
  answers: [
    ['ping', 'no', null],
    ['cable', null, 'done'],
  ],
  last_step_id: null,
  fallbacks: [],
  subflows: [],
  ...fields,
})
const find = ({ steps }: Replay, id: string) => steps.find(({ step_id }) => step_id === id)

describe('a replay', () => {
  it.each([
    ['random flows', replayCase, 300, replayResults.length],
    ['flows of 81 steps, 500 each', largeReplayCase, 1, 1],
  ] as const)(
    'REP-01 REP-02 finds what a search at each step finds, for random runs and changes of %s, also with new ids',
    night,
    (_, cases, numRuns, minKinds) => {
      const seen = new Set<string>()
      fc.assert(
        fc.property(cases, ({ before, after, runs }) => {
          const { counts, steps } = replayRuns(before, after, runs)
          const slow = runs.map((each) => ({ run: each, ...replaySlowly(before, after, each) }))
          for (const { result } of slow) seen.add(result)
          for (const result of replayResults)
            expect(counts[result]).toBe(slow.filter((each) => each.result === result).length)
          for (const row of steps) {
            if (row.step_id === null) continue
            const step = findAnswerableStep(after, row.step_id) as FlowNode | FlowStep
            const old = findOldStep(before, after, step)
            expect([row.old_step_id, row.matched_by]).toEqual([old?.step.id ?? null, old?.by ?? null])
            const here = slow.filter(({ stepId, result }) => stepId === row.step_id && result !== 'unchanged')
            for (const result of ['ends_elsewhere', 'asks_new', 'breaks'] as const)
              expect(row[result]).toBe(here.filter((each) => each.result === result).length)
            expect(row.example_runs).toEqual(
              here.slice(0, 3).map((each) => ({
                session_id: each.run.id,
                result: each.result,
                answer: each.answer,
              })),
            )
          }
        }),
        { numRuns },
      )
      expect(seen.size).toBeGreaterThanOrEqual(minKinds)
    },
  )

  it('REP-01 leaves runs of the same flow unchanged, at its end and before', () => {
    const runs = [
      run(),
      run({ answers: [], last_step_id: 'ping' }),
      run({ answers: [['ping', 'no', null]], last_step_id: 'cable' }),
    ]
    expect(replayRuns(flow(), flow(), runs).counts).toEqual({
      unchanged: 3,
      ends_elsewhere: 0,
      asks_new: 0,
      breaks: 0,
    })
  })

  it('REP-01 names the step from which a run ends elsewhere, the one that is new and the one that breaks', () => {
    const after = flow()
    after.options = [
      { id: 'no', label: 'No', next_node_id: 'other' } as never,
      { id: 'maybe', label: 'Maybe', next_node_id: 'ask' } as never,
    ]
    after.children = [
      createSolution('other'),
      { id: 'ask', type: 'action', title: 'Ask', description: '', children: [] },
    ]
    const yes = run({ id: 'y', answers: [['ping', 'yes', null]], last_step_id: 'queue' })
    const replay = replayRuns(flow(), after, [run(), yes])
    expect(replay.counts).toEqual({ unchanged: 0, ends_elsewhere: 1, asks_new: 0, breaks: 1 })
    expect(find(replay, 'ping')).toMatchObject({
      matched_by: 'id',
      runs: 2,
      ends_elsewhere: 1,
      breaks: 1,
      example_runs: [
        { session_id: 'r', result: 'ends_elsewhere', answer: null },
        { session_id: 'y', result: 'breaks', answer: 'yes' },
      ],
    })
    expect(replay.steps.filter(({ step_id }) => step_id === null)).toMatchObject([
      { old_step_id: 'queue', runs: 0 },
      { old_step_id: 'works', runs: 0 },
      { old_step_id: 'cable', runs: 1 },
    ])
    const [first] = [createStep('a'), createStep('b')]
    const list = { steps: [first, createEnd()] }
    const longer = { steps: [first, createStep('new'), createEnd()] }
    const done = run({ answers: [['a', null, 'skipped']] })
    expect(find(replayRuns(list, longer, [done]), 'new')).toMatchObject({
      asks_new: 1,
      matched_by: null,
      example_runs: [{ result: 'asks_new' }],
    })
    expect(
      replayRuns(longer, list, [
        run({
          answers: [
            ['a', null, 'done'],
            ['new', null, 'done'],
          ],
        }),
      ]).counts.unchanged,
    ).toBe(1)
  })

  it('REP-03 plays 500 runs of 50 steps in less than a second', { retry: 2 }, () => {
    const steps = Array.from({ length: 50 }, (_, n) => createStep(`s${n}`, { title: `Step ${n}` }))
    const before = { steps: [...steps, createEnd()] }
    const after = { steps: [...steps.map((step) => ({ ...step, id: `new ${step.id}` })), createEnd()] }
    const answers = steps.map(({ id }) => [id, null, 'done'] as const)
    const runs = Array.from({ length: 500 }, (_, n) => run({ id: String(n), answers }))
    const startedAt = process.cpuUsage()
    const budget = createBudget()
    expect(runWithin(budget, () => replayRuns(before, after, runs)).counts.unchanged).toBe(500)
    const { user, system } = process.cpuUsage(startedAt)
    expect((user + system) / 1000).toBeLessThan(1000)
    expect(budget.getSpent().steps).toBeGreaterThan(500 * 50)
    expect(() => runWithin(createBudget({ steps: 1000 }), () => replayRuns(before, after, runs))).toThrow()
  })
})
