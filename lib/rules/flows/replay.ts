import { spend } from '#rules/budget.ts'
import { toNameKey } from '#rules/text/fold.ts'
import type { sessionOutcomes } from './session-row.ts'
import { indexSteps, type StepAnswer, type StepIndex } from './step-navigation.ts'
import { type FlowNode, type FlowStep, isStepList, type TreeStructure } from './structure.ts'
import { getSubflowAnswer } from './subflow.ts'

// Plays completed runs of a flow through another version of it, by their recorded answers.

export const replayResults = ['unchanged', 'ends_elsewhere', 'asks_new', 'breaks'] as const
export type ReplayResult = (typeof replayResults)[number]

const maxExamples = 3
/** Steps of playing one answer: some look-ups, and the options of a decision. */
const stepsPerAnswer = 200
/** Steps of comparing one character of a title or label. */
const stepsPerCharacter = 10

type Outcome = NonNullable<StepAnswer['outcome']>

/** A completed run. Custom steps are not recorded: they are no part of the flow. */
export interface RecordedRun {
  id: string
  /** In order: the step, and the option of a decision or the outcome of any other step. */
  answers: readonly (readonly [stepId: string, optionId: string | null, outcome: Outcome | null])[]
  /** The step at which it was completed without an answer; null at the end of the flow. */
  last_step_id: string | null
  fallbacks: readonly (readonly [stepId: string, fallbackStepId: string])[]
  subflows: readonly (readonly [stepId: string, outcome: (typeof sessionOutcomes)[number]])[]
}

export interface ReplayExample {
  session_id: string
  result: Exclude<ReplayResult, 'unchanged'>
  /** The recorded option, fallback step or outcome that the step does not take any more. */
  answer: string | null
}

/** What the runs did at a step. */
export interface ReplayStep {
  /** The step; null if it was removed. */
  step_id: string | null
  /** The step of the runs that it was matched with; null if it is new. */
  old_step_id: string | null
  title: string
  matched_by: 'id' | 'content' | null
  /** The runs that reach it, or that have answered it if it was removed. */
  runs: number
  /** The runs that end elsewhere since their answer to it. */
  ends_elsewhere: number
  asks_new: number
  breaks: number
  example_runs: ReplayExample[]
}

export interface Replay {
  counts: Record<ReplayResult, number>
  /** The steps in reading order, then those that were removed. */
  steps: ReplayStep[]
}

/** What is stored of a replay with the version that was published after it: counts alone. */
export interface StoredReplay extends Record<ReplayResult, number> {
  /** The published version that the runs are of. */
  base_version: number
  runs: number
}

type Step = FlowNode | FlowStep
interface Match {
  /** The step of the runs. */
  step: Step
  by: 'id' | 'content'
  /** The id that each of its options has now. */
  optionIds: ReadonlyMap<string, string>
  /** The ids of its fallback steps that there still are. */
  keptFallbacks: ReadonlySet<string>
}

interface Flows {
  before: StepIndex
  after: StepIndex
  /** The steps of the runs, by the id of the step that each is now. */
  matches: ReadonlyMap<string, Match>
  areLists: boolean
}

/** What became of a run: the steps that it reaches, and the one at which it differs. */
interface PlayedRun {
  path: readonly string[]
  result: ReplayResult
  stepId: string | null
  answer: string | null
}

/** Play runs of the flow `before` through the flow `after`. */
export function replayRuns(
  before: TreeStructure,
  after: TreeStructure,
  runs: readonly RecordedRun[],
): Replay {
  const flows = matchFlows(before, after)
  spend(runs.reduce((count, { answers }) => count + answers.length + 1, 0) * stepsPerAnswer)
  const counts = { unchanged: 0, ends_elsewhere: 0, asks_new: 0, breaks: 0 }
  const rows = new Map(Array.from(flows.after.stepById.values(), (step) => [step.id, createRow(step, flows)]))
  for (const run of runs) {
    const { path, result, stepId, answer } = playRun(run, flows)
    counts[result]++
    for (const id of path) {
      const row = rows.get(id)
      if (row) row.runs++
    }
    const row = rows.get(stepId ?? '')
    if (!row || result === 'unchanged') continue
    row[result]++
    if (row.example_runs.length < maxExamples) row.example_runs.push({ session_id: run.id, result, answer })
  }
  return { counts, steps: [...rows.values(), ...listRemovedSteps(flows, runs)] }
}

function createRow({ id, title }: Step, { matches }: Flows): ReplayStep {
  const match = matches.get(id)
  const counts = { runs: 0, ends_elsewhere: 0, asks_new: 0, breaks: 0 }
  return {
    ...{
      step_id: id,
      old_step_id: match?.step.id ?? null,
      title: title ?? '',
      matched_by: match?.by ?? null,
    },
    ...counts,
    example_runs: [],
  }
}

function listRemovedSteps({ before, matches }: Flows, runs: readonly RecordedRun[]): ReplayStep[] {
  const keptIds = new Set(Array.from(matches.values(), ({ step }) => step.id))
  const answered = new Map<string, number>()
  for (const { answers } of runs) for (const [id] of answers) answered.set(id, (answered.get(id) ?? 0) + 1)
  return Array.from(before.stepById.values())
    .filter(({ id }) => !keptIds.has(id))
    .map(({ id, title }) => ({
      ...{ step_id: null, old_step_id: id, title: title ?? '', matched_by: null },
      ...{ runs: answered.get(id) ?? 0, ends_elsewhere: 0, asks_new: 0, breaks: 0, example_runs: [] },
    }))
}

/** Match steps by id, and the others by their content: those with the same content in reading order. */
function matchFlows(before: TreeStructure, after: TreeStructure): Flows {
  const [oldSteps, newSteps] = [indexSteps(before), indexSteps(after)]
  const matches = new Map<string, Match>()
  const oldByContent = new Map<string, Step[]>()
  for (const step of oldSteps.stepById.values()) {
    const sameStep = newSteps.stepById.get(step.id)
    if (sameStep) matches.set(step.id, createMatch(step, sameStep, 'id'))
    else {
      const key = getContentKey(step)
      if (key !== null) oldByContent.set(key, [...(oldByContent.get(key) ?? []), step])
    }
  }
  for (const newStep of newSteps.stepById.values()) {
    if (matches.has(newStep.id)) continue
    const step = oldByContent.get(getContentKey(newStep) ?? '')?.shift()
    if (step) matches.set(newStep.id, createMatch(step, newStep, 'content'))
  }
  return {
    before: oldSteps,
    after: newSteps,
    matches,
    areLists: isStepList(before) && isStepList(after),
  }
}

/** Return the title and the options of a step as people compare them; null without a title. */
function getContentKey(step: Step): string | null {
  const title = toKey(step.title)
  const labels = listOptions(step).map(({ label }) => toKey(label))
  return title ? JSON.stringify([title, labels.toSorted()]) : null
}

function toKey(text: string | null | undefined): string {
  spend((text ?? '').length * stepsPerCharacter)
  return toNameKey(text ?? '')
}

const listOptions = (step: Step) => ('options' in step ? (step.options ?? []) : [])
const listFallbacks = (step: Step) => ('fallback_steps' in step ? (step.fallback_steps ?? []) : [])

/**
 * Match a step with what it is now. Its options are matched by id and then by label, or the reverse for a step
 * with a new id.
 */
function createMatch(step: Step, newStep: Step, by: Match['by']): Match {
  const newOptions = listOptions(newStep)
  const newIds = new Set(newOptions.map(({ id }) => id))
  const needsLabels = by === 'content' || listOptions(step).some(({ id }) => !newIds.has(id))
  const idByLabel = new Map(
    needsLabels ? newOptions.toReversed().map(({ id, label }) => [toKey(label), id]) : [],
  )
  const optionIds = listOptions(step).flatMap(({ id = '', label }): [string, string][] => {
    const sameId = newIds.has(id) ? id : undefined
    const sameLabel = needsLabels ? idByLabel.get(toKey(label)) : undefined
    const newId = by === 'id' ? (sameId ?? sameLabel) : (sameLabel ?? sameId)
    return newId === undefined ? [] : [[id, newId]]
  })
  const newFallbacks = listFallbacks(newStep)
  const isKept = ({ id, title }: { id: string; title?: string | null | undefined }) =>
    newFallbacks.some((each) => each.id === id) ||
    (toKey(title) !== '' && newFallbacks.some((each) => toKey(each.title) === toKey(title)))
  const keptFallbacks = listFallbacks(step).filter(isKept)
  return {
    step,
    by,
    optionIds: new Map(optionIds),
    keptFallbacks: new Set(keptFallbacks.map(({ id }) => id)),
  }
}

function playRun(run: RecordedRun, flows: Flows): PlayedRun {
  const { after, matches } = flows
  const answers = new Map(run.answers.map((answer) => [answer[0], answer]))
  const path: string[] = []
  const end = (result: ReplayResult, stepId: string | null = null, answer: string | null = null) => ({
    path,
    result,
    stepId,
    answer,
  })
  let id = after.firstId
  while (id !== null) {
    path.push(id)
    const step = after.stepById.get(id) as Step
    const match = matches.get(id)
    const recorded = match && answers.get(match.step.id)
    if (!recorded) {
      if (match && match.step.id === run.last_step_id) return end('unchanged')
      return step.type === 'solution'
        ? end('ends_elsewhere', findLastCommonStep(path, run, flows))
        : end('asks_new', id)
    }
    const lostFallback = findLostFallback(match, run)
    if (lostFallback !== undefined) return end('breaks', id, lostFallback)
    const answer = translateAnswer(step, match, recorded, run)
    if (!answer) return end('breaks', id, recorded[1] ?? recorded[2])
    id = after.getNextId(id, answer.option_id)
  }
  const lastMatch = matches.get(path.at(-1) ?? '')
  const isSameEnd =
    run.last_step_id === null && (flows.areLists || lastMatch?.step.id === run.answers.at(-1)?.[0])
  return isSameEnd ? end('unchanged') : end('ends_elsewhere', findLastCommonStep(path, run, flows))
}

/** Return the last step before the run takes another path, or the first step. */
function findLastCommonStep(
  path: readonly string[],
  { answers, last_step_id }: RecordedRun,
  { matches }: Flows,
): string | null {
  const oldPath = [...answers.map(([id]) => id), ...(last_step_id === null ? [] : [last_step_id])]
  const index = path.findIndex((id, index) => {
    const match = matches.get(id)
    return !match || match.step.id !== oldPath[index]
  })
  return path.at(index < 0 ? -1 : Math.max(index - 1, 0)) ?? null
}

/** Return the id of a fallback step that the run has used and the step does not have any more. */
function findLostFallback({ step, keptFallbacks }: Match, { fallbacks }: RecordedRun): string | undefined {
  return fallbacks.find(([stepId, id]) => stepId === step.id && !keptFallbacks.has(id))?.[1]
}

/** Return the answer that the step gets from a recorded one, or null if it does not take it. */
function translateAnswer(
  step: Step,
  match: Match,
  [stepId, optionId, outcome]: RecordedRun['answers'][number],
  { subflows }: RecordedRun,
): StepAnswer | null {
  const bySubflow = getAnswerOfSubflow(step, match.step, [stepId, optionId, outcome], subflows)
  if (bySubflow) return bySubflow
  if (step.type !== 'decision') return outcome === null ? null : { outcome }
  const option_id = match.optionIds.get(optionId ?? '')
  return option_id === undefined ? null : { option_id }
}

/** Return the answer that the outcome of a sub-flow gives, if it gave the recorded answer. */
function getAnswerOfSubflow(
  step: Step,
  oldStep: Step,
  [stepId, optionId, outcome]: RecordedRun['answers'][number],
  subflows: RecordedRun['subflows'],
): StepAnswer | null {
  const ended = subflows.findLast(([id]) => id === stepId)
  if (!ended || !step.subflow || step.subflow.tree_id !== oldStep.subflow?.tree_id) return null
  const given = getSubflowAnswer(oldStep, ended[1])
  const isGiven = given && (given.option_id ?? null) === optionId && (given.outcome ?? null) === outcome
  return isGiven ? getSubflowAnswer(step, ended[1]) : null
}
