import fc from 'fast-check'
import { changeSteps } from '#rules/flows/change-steps.ts'
import { normaliseStructure } from '#rules/flows/normalise.ts'
import type { RecordedRun, ReplayResult } from '#rules/flows/replay.ts'
import { findAnswerableStep, getFirstStepId, getNextStepId } from '#rules/flows/step-navigation.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from '#rules/flows/structure.ts'
import { getSubflowAnswer } from '#rules/flows/subflow.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { toNameKey } from '#rules/text/fold.ts'
import { publishableFlow } from './flow-arbitraries.ts'
import { createEnd, createSolution, createStep } from './flow-nodes.ts'

// Random runs of random flows, changed flows to play them through, and a slow replay that is easy to read.

type Step = FlowNode | FlowStep
type AnyStep = Omit<FlowNode, 'type'> & Pick<FlowStep, 'fallback_steps'> & { type: string }

/** Two versions of a flow, and runs of the first. */
export const replayCase = fc
  .record({
    flow: publishableFlow,
    numbers: fc.array(fc.nat(9999), { minLength: 300, maxLength: 300 }),
    runCount: fc.nat(8),
  })
  .map(({ flow, numbers, runCount }) => {
    let position = 0
    const next = (count: number) => (numbers[position++ % numbers.length] ?? 0) % count
    return createReplayCase(withSubflowOptions(flow.tree_structure), { runCount, stopsIn: 12, next })
  })

/** Run a flow at random, and change it. One run of `stopsIn` ends at each step. */
function createReplayCase(
  before: TreeStructure,
  { runCount, stopsIn, next }: { runCount: number; stopsIn: number; next: Next },
) {
  const runs = Array.from({ length: runCount }, (_, index) =>
    createRun(before, `run ${index}`, { stopsIn, next }),
  )
  return { before, after: changeStructure(before, next), runs }
}

const largeSteps = 81
const [largeList, largeTree]: [TreeStructure, TreeStructure] = [
  {
    steps: [
      ...Array.from({ length: largeSteps }, (_, n) => createStep(`s${n}`, { title: `Step ${n}` })),
      createEnd(),
    ],
  },
  createLargeTree(0),
]

/** Create a tree of 81 questions and steps in turn. A question may lead to its own solution. */
function createLargeTree(n: number): FlowNode {
  if (n === largeSteps) return createSolution('solved')
  const next = createLargeTree(n + 1)
  const common = { id: `n${n}`, title: `Step ${n}`, description: '' }
  if (n % 2) return { ...common, type: 'action', next_node_id: next.id, children: [next] }
  const end = createSolution(`end-${n}`)
  const options = [next, end].map(({ id }, place) => ({
    id: `o${place}`,
    label: place ? 'No' : 'Yes',
    next_node_id: id,
  }))
  return { ...common, type: 'decision', options, children: [next, end] }
}

/** 500 runs of a flow of 81 steps, a list or a tree, and a changed flow. */
export const largeReplayCase = fc
  .record({ structure: fc.constantFrom(largeList, largeTree), seed: fc.nat() })
  .map(({ structure, seed }) => {
    let state = seed
    // A small generator of its own: fast-check would shrink tens of thousands of numbers.
    const next = (count: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return (state >>> 8) % count
    }
    return createReplayCase(structure, { runCount: 500, stopsIn: 200, next })
  })

type Next = (count: number) => number

function withSubflowOptions(structure: TreeStructure): TreeStructure {
  return changeSteps(structure, <N extends Step>(node: N): N => {
    const id = 'options' in node ? node.options?.[0]?.id : undefined
    return node.subflow && id ? { ...node, subflow: { ...node.subflow, options: { resolved: id } } } : node
  })
}

/** Run a flow with random answers, perhaps not to its end. */
function createRun(
  structure: TreeStructure,
  id: string,
  { stopsIn, next }: { stopsIn: number; next: Next },
): RecordedRun {
  const answers: RecordedRun['answers'][number][] = []
  const fallbacks: RecordedRun['fallbacks'][number][] = []
  const subflows: RecordedRun['subflows'][number][] = []
  let stepId = getFirstStepId(structure)
  while (stepId !== null && next(stopsIn) > 0) {
    const step = findAnswerableStep(structure, stepId) as Step
    const outcome = next(2) ? 'resolved' : 'escalated'
    const bySubflow = step.subflow && next(2) ? getSubflowAnswer(step, outcome) : null
    if (step.subflow && (bySubflow || next(3) === 0)) subflows.push([stepId, outcome])
    const options = 'options' in step ? (step.options ?? []) : []
    const optionId = bySubflow
      ? (bySubflow.option_id ?? null)
      : step.type === 'decision'
        ? (options[next(options.length)]?.id ?? null)
        : null
    const fallback = listFallbacks(step)[next(4)]
    if (fallback) fallbacks.push([stepId, fallback.id])
    const stepOutcome = bySubflow?.outcome ?? (['done', 'skipped', 'failed'] as const)[next(3)] ?? 'done'
    answers.push([stepId, optionId, optionId === null ? stepOutcome : null])
    stepId = getNextStepId(structure, stepId, optionId)
  }
  return { id, answers, last_step_id: stepId, fallbacks, subflows }
}

/** Rename ids, change texts, remove options, fallback steps and sub-flows, and insert and remove steps. */
function changeStructure(structure: TreeStructure, next: Next): TreeStructure {
  const renamesAll = next(3) === 0
  const changes = next(6)
  const newIds = new Map(
    Array.from(walkAll(structure), ({ node }) => [
      node.id,
      renamesAll || (changes > 2 && next(6) === 0) ? `new ${node.id}` : node.id,
    ]),
  )
  const rename = (id: string | null | undefined) => (id ? (newIds.get(id) ?? id) : id)
  const changed = changeSteps(structure, <N extends Step>(node: N): N => {
    const copy = structuredClone(node) as unknown as AnyStep
    copy.id = newIds.get(node.id) ?? node.id
    if (copy.next_node_id) copy.next_node_id = rename(copy.next_node_id)
    for (const option of copy.options ?? []) {
      option.next_node_id = rename(option.next_node_id)
      if (changes > 0 && next(8) === 0) option.id = `new ${option.id}`
      if (changes > 1 && next(8) === 0) option.label = `${option.label} 2`
    }
    if (changes > 1 && copy.options && next(5) === 0) copy.options = copy.options.slice(1)
    if (changes > 1 && copy.options && next(5) === 0) copy.options.reverse()
    if (changes > 2 && next(8) === 0) copy.title = `${copy.title} 2`
    if (changes > 2 && next(6) === 0) delete copy.fallback_steps
    if (changes > 3 && next(6) === 0) delete copy.subflow
    if (changes > 3 && copy.type === 'action' && next(6) === 0) copy.type = 'solution'
    return copy as unknown as N
  })
  if (!isStepList(changed)) return normaliseStructure(changed)
  const steps = changed.steps.filter(() => changes < 3 || next(8) > 0)
  if (changes > 3) {
    const step = { id: 'inserted', type: 'procedure_step' as const, title: 'Inserted', description: '' }
    steps.splice(next(steps.length + 1), 0, step)
  }
  if (changes > 4) steps.reverse()
  return normaliseStructure({ steps })
}

const listFallbacks = (step: Step) => ('fallback_steps' in step ? (step.fallback_steps ?? []) : [])
const listOptions = (step: Step) => ('options' in step ? (step.options ?? []) : [])
const listSteps = (structure: TreeStructure): Step[] =>
  Array.from(walkAll(structure), ({ node }) => findAnswerableStep(structure, node.id)).filter(
    (step) => step !== undefined,
  )
const isSameText = (a: string | null | undefined, b: string | null | undefined) =>
  toNameKey(a ?? '') !== '' && toNameKey(a ?? '') === toNameKey(b ?? '')

const foundSteps = new WeakMap<TreeStructure, Map<string, ReturnType<typeof searchOldStep>>>()

/** Return the step of `before` that a step of `after` was, by search. It is remembered for the pair of flows. */
export function findOldStep(before: TreeStructure, after: TreeStructure, step: Step) {
  const found = foundSteps.get(after) ?? new Map<string, ReturnType<typeof searchOldStep>>()
  foundSteps.set(after, found)
  if (!found.has(step.id)) found.set(step.id, searchOldStep(before, after, step))
  return found.get(step.id)
}

function searchOldStep(
  before: TreeStructure,
  after: TreeStructure,
  step: Step,
): { step: Step; by: 'id' | 'content' } | undefined {
  const [oldSteps, newSteps] = [listSteps(before), listSteps(after)]
  const sameId = oldSteps.find(({ id }) => id === step.id)
  if (sameId) return { step: sameId, by: 'id' }
  const describe = (each: Step) =>
    [
      toNameKey(each.title ?? ''),
      ...listOptions(each)
        .map(({ label }) => toNameKey(label))
        .toSorted(),
    ].join('\0')
  const isLike = (each: Step) => toNameKey(each.title ?? '') !== '' && describe(each) === describe(step)
  const free = <T extends Step>(from: T[], other: Step[]) =>
    from.filter((each) => isLike(each) && !other.some(({ id }) => id === each.id))
  const place = free(newSteps, oldSteps).findIndex(({ id }) => id === step.id)
  const old = place < 0 ? undefined : free(oldSteps, newSteps)[place]
  return old && { step: old, by: 'content' }
}

/** Play one run by search at each step. */
export function replaySlowly(
  before: TreeStructure,
  after: TreeStructure,
  run: RecordedRun,
): { result: ReplayResult; stepId: string | null; answer: string | null } {
  const oldPath = run.answers.map(([id]) => id)
  if (run.last_step_id !== null) oldPath.push(run.last_step_id)
  const path: { id: string; oldId: string | undefined }[] = []
  const finish = (result: ReplayResult, stepId: string | null, answer: string | null = null) => ({
    result,
    stepId,
    answer,
  })
  const turn = () => {
    let common = 0
    while (
      common < path.length &&
      path[common]?.oldId !== undefined &&
      path[common]?.oldId === oldPath[common]
    )
      common++
    return path[Math.max(common, 1) - 1]?.id ?? null
  }
  for (let id = getFirstStepId(after); id !== null; ) {
    const step = findAnswerableStep(after, id) as Step
    const old = findOldStep(before, after, step)
    path.push({ id, oldId: old?.step.id })
    const answer = run.answers.find(([stepId]) => stepId === old?.step.id)
    if (!old || !answer) {
      if (old && old.step.id === run.last_step_id) return finish('unchanged', null)
      return step.type === 'solution' ? finish('ends_elsewhere', turn()) : finish('asks_new', id)
    }
    for (const [stepId, fallbackId] of run.fallbacks) {
      if (stepId !== old.step.id) continue
      const used = listFallbacks(old.step).find((each) => each.id === fallbackId)
      const kept = listFallbacks(step).some(
        (each) => each.id === fallbackId || isSameText(each.title, used?.title),
      )
      if (!kept) return finish('breaks', id, fallbackId)
    }
    const [, optionId, outcome] = answer
    let next: { option_id?: string | undefined } | null = null
    const ended = run.subflows.filter(([stepId]) => stepId === old.step.id).at(-1)?.[1]
    if (ended && step.subflow && step.subflow.tree_id === old.step.subflow?.tree_id) {
      const given = getSubflowAnswer(old.step, ended)
      if (given && (given.option_id ?? null) === optionId && (given.outcome ?? null) === outcome)
        next = getSubflowAnswer(step, ended)
    }
    if (!next && step.type === 'decision') {
      const label = listOptions(old.step).find((each) => each.id === optionId)?.label
      const sameId = listOptions(step).find((each) => each.id === optionId)
      const sameLabel = listOptions(step).find((each) => isSameText(each.label, label))
      const option = old.by === 'id' ? (sameId ?? sameLabel) : (sameLabel ?? sameId)
      if (optionId !== null && option) next = { option_id: option.id }
    } else if (!next && outcome !== null) next = {}
    if (!next) return finish('breaks', id, optionId ?? outcome)
    id = getNextStepId(after, id, next.option_id)
  }
  const isSameEnd =
    isStepList(before) && isStepList(after) ? true : path.at(-1)?.oldId === run.answers.at(-1)?.[0]
  return run.last_step_id === null && isSameEnd ? finish('unchanged', null) : finish('ends_elsewhere', turn())
}
