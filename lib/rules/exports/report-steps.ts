import { fillMarkdown } from '#rules/flows/fill-markdown.ts'
import { fillPlaceholders } from '#rules/flows/placeholders.ts'
import { collectVariables } from '#rules/flows/run-view.ts'
import type { SessionRow } from '#rules/flows/session-row.ts'
import { indexAnswerableSteps } from '#rules/flows/step-navigation.ts'
import { indexSectionHeaders, renderStepText, type StepText } from '#rules/flows/step-view.ts'
import type { FlowNode, FlowStep } from '#rules/flows/structure.ts'
import { walkAll } from '#rules/flows/walk.ts'
import { toMarkdown } from '#rules/markup/markdown.ts'
import { joinLines } from '#rules/text/lines.ts'
import type {
  Evidence,
  Fact,
  Report,
  ReportCustomStep,
  ReportFallback,
  ReportHeader,
  ReportOptions,
  ReportStep,
  SupportingDataRow,
} from './report.ts'
import { type FormatTime, formatDuration } from './time-format.ts'

const sessionOutcomes = {
  resolved: 'Resolved',
  unresolved: 'Not resolved',
  escalated: 'Escalated',
  cancelled: 'Cancelled',
}
const sessionStates = {
  prepared: 'Prepared',
  in_progress: 'In progress',
  completed: 'Completed',
  abandoned: 'Given up',
}
const stepOutcomes = { done: 'Done', skipped: 'Skipped', failed: 'Failed' }
const noOutcome = { words: '', isDone: false }
const customStepSources = {
  'ad-hoc': 'Added during the session',
  'step-library': 'From the step library',
  'forked-tree': 'From another flow',
}

type Variables = Record<string, unknown>
interface StepOptions extends ReportOptions {
  /** Whether answers after the last decision are left out. */
  isShortened: boolean
  variables: Variables
  formatTime: FormatTime
  nameOther: NameOther
  /** What the numbers of the steps start with: `2.` for the sub-flow of step 2. */
  numberPrefix?: string
  /** The number of steps of earlier sub-flows of the same step, whose numbers these steps continue. */
  stepsBefore?: number
}

/** Return the name of a person who is not the user of the report's session; otherwise an empty text. */
type NameOther = (userId: string, name: string | null | undefined) => string

export function createNameOther({ user_id }: SessionRow): NameOther {
  return (userId, name) => (userId === user_id ? '' : joinLines(name ?? ''))
}
const addPerson = (text: string, by: string) => (by ? `${text}, by ${by}` : text)

/** Return the outcome of a session as text, or its state if it has none yet. */
export function describeResult({ outcome, state }: Pick<SessionRow, 'outcome' | 'state'>): string {
  return outcome ? sessionOutcomes[outcome] : sessionStates[state]
}

/**
 * Return what an outcome says of a step or fallback. Each edition tells this, so that no two can differ: for
 * colleagues in words, for clients only what was done.
 */
function readOutcome(outcome: keyof typeof stepOutcomes | null): typeof noOutcome {
  return outcome === null ? noOutcome : { words: stepOutcomes[outcome], isDone: outcome === 'done' }
}

/** Build the steps of a report, and what belongs to none of them. */
export function buildReportSteps(
  session: SessionRow,
  supportingData: readonly SupportingDataRow[],
  options: StepOptions,
): Pick<Report, 'steps' | 'pendingStep' | 'fallbacks' | 'customSteps' | 'evidence'> {
  const { lastDecision, isShortened, numberPrefix = '', stepsBefore = 0 } = options
  const decisions =
    lastDecision === undefined ? session.decisions : session.decisions.slice(0, lastDecision + 1)
  const pendingId = session.state === 'in_progress' && !isShortened ? session.current_step_id : null
  const stepIds = [...decisions.map(({ step_id }) => step_id), ...(pendingId === null ? [] : [pendingId])]
  const extras = groupExtras(session, supportingData, options)
  const describeStep = createStepDescriber(session, options)
  const subflowsByStep = groupSubflows(session, options)
  // A step that was answered several times shows what belongs to it once, at its first answer.
  const firstPlaces = new Map(stepIds.map((id, place) => [id, place] as const).reverse())

  /** Build the step at a place of the report, and the steps of its sub-flows. */
  const buildSteps = (stepId: string, place: number, answer: (step: StepDescription) => Answer, by = '') => {
    const isFirst = firstPlaces.get(stepId) === place
    const { step, headers, ...description } = describeStep(stepId)
    const answeredBy = by ? [{ label: 'Answered by', value: by }] : []
    const reportStep = {
      number: `${numberPrefix}${stepsBefore + place + 1}`,
      ...description,
      details: [...description.details, ...answeredBy],
      headers: isFirst ? headers : [],
      ...answer({ step, headers, ...description }),
      ...(isFirst ? extras.ofStep(stepId) : noExtras),
    }
    const subflows = isFirst ? (subflowsByStep.get(stepId) ?? []) : []
    return addSubflows(reportStep, subflows, supportingData, options)
  }

  const steps = decisions.flatMap((decision, place) =>
    buildSteps(
      decision.step_id,
      place,
      ({ step }) => describeAnswer(step, decision, options),
      options.nameOther(decision.decided_by, decision.decided_by_name),
    ),
  )
  const pendingSteps = pendingId === null ? [] : buildSteps(pendingId, decisions.length, () => noAnswer)
  // The steps of a sub-flow come before the pending step that runs it, because the report shows one pending
  // step.
  const [pendingStep = null, ...runningSteps] = pendingSteps
  // What a shortened report leaves out belongs to the steps that it leaves out, except the evidence of the
  // whole session.
  const rest = isShortened
    ? { ...noExtras, evidence: extras.ofStep(wholeSession).evidence }
    : extras.exceptSteps(new Set(stepIds))
  return { steps: [...steps, ...runningSteps], pendingStep, ...rest }
}

type Answer = Pick<ReportStep, 'answer' | 'isDone' | 'durationAndTime' | 'note'>
const noAnswer: Answer = { answer: '', isDone: false, durationAndTime: '', note: '' }

function describeAnswer(
  step: StepDescription['step'],
  { option_id, outcome, duration_seconds, decided_at, note }: SessionRow['decisions'][number],
  { variables, formatTime }: StepOptions,
): Answer {
  const { words, isDone } = readOutcome(option_id === null ? outcome : null)
  return {
    answer: option_id === null ? words : getOptionLabel(step, option_id, variables),
    isDone,
    durationAndTime: `${formatDuration(duration_seconds)}, ${formatTime(decided_at)}`,
    note: note ?? '',
  }
}

function groupSubflows(session: SessionRow, { subflows = [] }: StepOptions): Map<string, SessionRow[]> {
  const ofSession = subflows.filter(({ parent_session_id }) => parent_session_id === session.id)
  return groupBy(ofSession, ({ parent_step_id }) => parent_step_id ?? '')
}

/**
 * Return a step with the steps of its sub-flows after it. The step names each sub-flow with its result and
 * notes.
 */
function addSubflows(
  step: ReportStep,
  subflows: readonly SessionRow[],
  supportingData: readonly SupportingDataRow[],
  options: StepOptions,
): [ReportStep, ...ReportStep[]] {
  let stepsBefore = 0
  const parts = subflows.map((subflow) => {
    const numbering = { numberPrefix: `${step.number}.`, stepsBefore }
    stepsBefore += subflow.decisions.length + (subflow.current_step_id === null ? 0 : 1)
    const subflowOptions = {
      ...options,
      ...numbering,
      variables: collectVariables(subflow),
      lastDecision: undefined,
      isShortened: false,
    }
    return {
      details: describeSubflow(subflow),
      ...buildReportSteps(subflow, supportingData, subflowOptions),
    }
  })
  const parent = {
    ...step,
    details: [...step.details, ...parts.flatMap(({ details }) => details)],
    fallbacks: [...step.fallbacks, ...parts.flatMap(({ fallbacks }) => fallbacks)],
    customSteps: [...step.customSteps, ...parts.flatMap(({ customSteps }) => customSteps)],
    evidence: [...step.evidence, ...parts.flatMap(({ evidence }) => evidence)],
  }
  return [
    parent,
    ...parts.flatMap(({ steps, pendingStep }) => (pendingStep ? [...steps, pendingStep] : steps)),
  ]
}

function describeSubflow(session: SessionRow): Fact[] {
  const facts = [
    { label: 'Sub-flow', value: `${session.name}: ${describeResult(session)}` },
    { label: 'Notes of the sub-flow', value: session.notes ?? '' },
    { label: 'Next steps of the sub-flow', value: session.next_steps ?? '' },
  ]
  return facts.filter(({ value }) => value)
}

type StepDescription = Pick<ReportStep, 'headers' | 'title' | 'description' | 'details'> & {
  step: FlowNode | FlowStep | undefined
}
/** Return a function that describes the step with an id, with the section headers before it. */
function createStepDescriber(
  { tree_structure }: SessionRow,
  { variables, scriptNames }: StepOptions,
): (id: string) => StepDescription {
  const stepById = indexAnswerableSteps(tree_structure)
  const headersById = indexSectionHeaders(tree_structure)
  return (id) => {
    const step = stepById.get(id)
    return {
      step,
      headers: (headersById.get(id) ?? []).map((header) => toHeader(renderStepText(header, variables))),
      title: fillPlaceholders(step?.title ?? '', variables) || id,
      description: fillMarkdown(toMarkdown(step?.description ?? ''), variables),
      details: step ? buildDetails(step, scriptNames) : [],
    }
  }
}

function buildDetails(
  step: FlowNode | FlowStep,
  scriptNames: ReadonlyMap<string, string> | undefined,
): Fact[] {
  const { estimated_minutes, script_template_id, attachments } = step
  const groupLabel = 'group_label' in step ? step.group_label : null
  const details: Fact[] = []
  if (groupLabel) details.push({ label: 'Group', value: groupLabel })
  if (typeof estimated_minutes === 'number')
    details.push({ label: 'Estimated time', value: formatDuration(estimated_minutes * 60) })
  if (script_template_id)
    details.push({ label: 'Script', value: scriptNames?.get(script_template_id) ?? script_template_id })
  for (const { title, url } of attachments ?? [])
    details.push({ label: 'Attachment', value: title, href: url })
  return details
}

export function toHeader({ title, description }: StepText): ReportHeader {
  return { title, description }
}

function getOptionLabel(
  step: FlowNode | FlowStep | undefined,
  optionId: string,
  variables: Variables,
): string {
  const options = step && 'options' in step ? (step.options ?? []) : []
  return fillPlaceholders(options.find((option) => option.id === optionId)?.label ?? optionId, variables)
}

type StepExtras = Pick<ReportStep, 'fallbacks' | 'customSteps' | 'evidence'>
const noExtras: StepExtras = { fallbacks: [], customSteps: [], evidence: [] }
/** Stands for the step of what was added to the session, and to no step. */
const wholeSession = ''

/** Group the fallbacks, custom steps and supporting data by their step. */
function groupExtras(
  session: SessionRow,
  supportingData: readonly SupportingDataRow[],
  { variables, nameOther }: StepOptions,
) {
  const titleById =
    session.fallback_decisions.length > 0
      ? indexTitles(session.tree_structure, variables)
      : new Map<string, string>()
  const toFallback = (fallback: FallbackDecision): ReportFallback => {
    const { fallback_step_id, note } = fallback
    const { words, isDone } = readOutcome(fallback.outcome)
    const title = titleById.get(fallback_step_id) || fallback_step_id
    const outcome = addPerson(words, nameOther(fallback.decided_by, fallback.decided_by_name))
    return { title, outcome, isDone, note: note ?? '' }
  }
  const toCustomStep = ({ title, description, ...step }: CustomStep): ReportCustomStep => {
    const by = nameOther(step.created_by, step.created_by_name)
    const source = addPerson(customStepSources[step.source], by)
    return { title, description: toMarkdown(description), source, ...(by && { by }) }
  }
  const fallbacks = groupBy(session.fallback_decisions, ({ step_id }) => step_id)
  const customSteps = groupBy(session.custom_steps, ({ after_step_id }) => after_step_id)
  const evidence = groupBy(listEvidence(session, supportingData, nameOther), ({ step_id }) => step_id)
  const convert = (select: <Item>(groups: Map<string, Item[]>) => Item[]): StepExtras => ({
    fallbacks: select(fallbacks).map(toFallback),
    customSteps: select(customSteps).map(toCustomStep),
    evidence: select(evidence).map((item) => item.evidence),
  })
  return {
    ofStep: (stepId: string) => convert((groups) => groups.get(stepId) ?? []),
    exceptSteps: (stepIds: ReadonlySet<string>) =>
      convert((groups) => [...groups].flatMap(([stepId, items]) => (stepIds.has(stepId) ? [] : items))),
  }
}
type FallbackDecision = SessionRow['fallback_decisions'][number]
type CustomStep = SessionRow['custom_steps'][number]

/** Return the supporting data of this session alone. Its place in `supportingData` identifies an image. */
function listEvidence(
  { id }: SessionRow,
  supportingData: readonly SupportingDataRow[],
  nameOther: NameOther,
): { step_id: string; evidence: Evidence }[] {
  return supportingData.flatMap((row, place) =>
    (row.session_id ?? id) === id
      ? [{ step_id: row.step_id ?? wholeSession, evidence: toEvidence(row, place, nameOther) }]
      : [],
  )
}

function indexTitles(structure: SessionRow['tree_structure'], variables: Variables): Map<string, string> {
  return new Map(
    Array.from(walkAll(structure), ({ node }) => [node.id, fillPlaceholders(node.title ?? '', variables)]),
  )
}

function groupBy<T>(items: readonly T[], getKey: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const group = groups.get(getKey(item))
    if (group) group.push(item)
    else groups.set(getKey(item), [item])
  }
  return groups
}

function toEvidence(row: SupportingDataRow, place: number, nameOther: NameOther): Evidence {
  const { kind, title, content, image, user_id, user_name } = row
  const by = user_id && nameOther(user_id, user_name)
  return { kind, title, content: content ?? '', image: image ? place : null, ...(by && { by }) }
}
