import * as trees from '#functions/flows/trees/service.ts'
import * as versions from '#functions/flows/versions/service.ts'
import * as customSteps from '#functions/sessions/custom-steps/service.ts'
import { Variables } from '#functions/sessions/sessions/schemas.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import * as steps from '#functions/sessions/steps/service.ts'
import * as subflows from '#functions/sessions/subflows/service.ts'
import type { ReadContext } from '#http/operation.ts'
import { isErrorCode, Problem } from '#problem.ts'
import { spend } from '#rules/budget.ts'
import { applyDefaults } from '#rules/flows/intake-answers.ts'
import { collectVariables } from '#rules/flows/run-view.ts'
import { findTextAnswers, splitAnswers } from '#rules/flows/secret-answers.ts'
import type { RunState } from '#rules/flows/session-row.ts'
import {
  computeProgress,
  countRemainingAnswers,
  findAnswerableStep,
  getFirstStepId,
} from '#rules/flows/step-navigation.ts'
import { renderProcedureEnd, renderStep } from '#rules/flows/step-view.ts'
import type { IntakeField, TreeStructure } from '#rules/flows/structure.ts'
import { getSubflowAnswer } from '#rules/flows/subflow.ts'
import { collectInputs, collectOutputs } from '#rules/flows/subflow-variables.ts'
import { Uuid } from '#rules/uuid.ts'
import * as queries from './queries.ts'
import type { DryRun, DryRunAnswer, DryRunCreate, DryRunError, DryRunStep, StepEffects } from './schemas.ts'

type Db = ReadContext['db']
/** The steps of a walk through the largest flow, with the paths of its nodes. */
const stepsPerAnswer = 25_000

interface PlayedFlow {
  id: string
  version: number
  tree_structure: TreeStructure
  intake_form: readonly IntakeField[]
}

/** The run of a flow, as a session would have it. */
interface Run extends RunState {
  flow: { tree_id: string; version: number }
  answered: number
  /** The answers to secret fields, in clear. They never leave the request. */
  secrets: Record<string, string>
  /** The number of sub-flows that it has started. */
  subflows: number
}

/** A dry run: its open runs, the outermost first, of which the last has the current step. */
interface Play {
  runs: [Run, ...Run[]]
  knownUploads: ReadonlySet<string>
}

/**
 * Play a version of a flow with answers, without storing anything. An answer that a session would refuse is
 * reported and changes nothing. Throw 422 for variables with which no session starts.
 */
export async function run(
  ctx: Pick<ReadContext, 'db'>,
  treeId: string,
  { version, answers, outcome, ...details }: DryRunCreate,
): Promise<DryRun> {
  const flow = await findFlow(ctx, treeId, version)
  const play: Play = {
    runs: [startRun(flow, details.variables ?? {}, details)],
    knownUploads: await findUploads(ctx.db, answers),
  }
  const path: DryRunStep[] = []
  const errors: DryRunError[] = []
  spend(answers.length * stepsPerAnswer)
  for (const [index, answer] of answers.entries()) {
    try {
      path.push({ index, ...(await playAnswer(ctx.db, play, answer)) })
    } catch (error) {
      errors.push(toError(error, index, answer.step_id))
    }
  }
  const [root] = play.runs
  if (outcome && play.runs.length > 1)
    errors.push(toError(new Problem('subflow_running'), answers.length, root.current_step_id))
  const isCompleted = outcome !== undefined && play.runs.length === 1
  const current = getCurrentRun(play)
  return {
    ...root.flow,
    state: isCompleted ? 'completed' : 'in_progress',
    outcome: isCompleted ? outcome : null,
    open_subflows: play.runs.slice(1).map((subflow, index) => ({
      ...subflow.flow,
      parent_step_id: play.runs[index]?.current_step_id ?? '',
    })),
    ...(await describeRun(ctx.db, play, current, isCompleted)),
    path,
    errors,
  }
}

async function findFlow(
  ctx: Pick<ReadContext, 'db'>,
  treeId: string,
  version: number | undefined,
): Promise<PlayedFlow> {
  const current = await trees.find(ctx.db, treeId)
  const flow =
    version === undefined || version === current.version ? current : await versions.get(ctx, treeId, version)
  const { tree_structure, intake_form } = flow
  if (!tree_structure) throw new Problem('flow_empty')
  return { id: treeId, version: flow.version, tree_structure, intake_form }
}

type Details = Partial<Record<'ticket_number' | 'client_name', string | null | undefined>>
/** Start a run. Throw 422 for missing or invalid answers to the intake form. */
function startRun(flow: PlayedFlow, input: Variables, { ticket_number, client_name }: Details): Run {
  const { tree_structure, intake_form } = flow
  const answers = applyDefaults(intake_form, input)
  sessions.requireValidAnswers(intake_form, answers, true, {})
  const { variables, secrets } = splitAnswers(intake_form, answers)
  if (!Variables.safeParse(variables).success) throw sessions.variablesTooLarge()
  const secretTexts = findTextAnswers(secrets)
  return {
    flow: { tree_id: flow.id, version: flow.version },
    state: 'in_progress',
    ticket_number: ticket_number ?? null,
    client_name: client_name ?? null,
    target_label: null,
    current_step_id: getFirstStepId(tree_structure),
    subflow_session_id: null,
    variables,
    secret_keys: Object.keys(secretTexts),
    tree_structure,
    intake_form: [...intake_form],
    may_change: true,
    fallback_decisions: [],
    custom_steps: [],
    answered: 0,
    secrets: secretTexts,
    subflows: 0,
  }
}

async function findUploads(db: Db, answers: readonly DryRunAnswer[]): Promise<Set<string>> {
  const values = answers.flatMap(({ evidence }) => Object.values(evidence ?? {}))
  const ids = values.flatMap((value) => Uuid.safeParse(value).data ?? [])
  if (ids.length === 0) return new Set()
  return new Set((await queries.selectUploads.all(db, [...new Set(ids)])).map(({ id }) => id))
}

const getCurrentRun = ({ runs }: Play): Run => runs.at(-1) ?? runs[0]

type Played = Omit<DryRunStep, 'index'>

/** Play one answer. Throw what a session would. */
async function playAnswer(db: Db, play: Play, answer: DryRunAnswer): Promise<Played> {
  if (answer.subflow) return startSubflow(db, play, answer)
  if (answer.subflow_outcome) return completeSubflow(play, answer)
  return answer.custom_step ? addCustomStep(play, answer) : answerStep(play, answer)
}

function answerStep(play: Play, answer: DryRunAnswer): Played {
  const current = getCurrentRun(play)
  const step = steps.requireValidDecision(current, answer)
  const isAnswer = answer.option_id !== undefined || answer.outcome !== undefined
  if (isAnswer) {
    const evidence = steps.requireEvidence(step, answer)
    if (step.approval && !answer.is_approved)
      throw new Problem('approval_required', undefined, { facts: { approval: null } })
    if (evidence.some(({ upload_id }) => upload_id !== null && !play.knownUploads.has(upload_id)))
      throw steps.unknownUpload(evidence)
  }
  const played = describePlayed(play, isAnswer ? 'answer' : 'fallback', answer)
  if (answer.fallback) current.fallback_decisions = [...current.fallback_decisions, answer.fallback]
  if (isAnswer) moveOn(current, answer)
  return played
}

/** Move a run to the step after an answer. */
function moveOn(current: Run, answer: Pick<DryRunAnswer, 'step_id' | 'option_id'>): void {
  current.current_step_id = steps.getNextPosition(current, answer).current_step_id
  current.answered++
}

function addCustomStep(play: Play, answer: DryRunAnswer): Played {
  const current = getCurrentRun(play)
  customSteps.requirePlace(current, answer.step_id)
  current.custom_steps = [...current.custom_steps, answer.custom_step]
  return describePlayed(play, 'custom_step', answer)
}

async function startSubflow(db: Db, play: Play, answer: DryRunAnswer): Promise<Played> {
  const parent = getCurrentRun(play)
  if (parent.current_step_id !== answer.step_id) throw steps.createStepProblem(parent)
  const subflow = subflows.requireSubflow(parent)
  const flow = await subflows.findSubflow(db, subflow, listAncestors(play))
  const inputs = collectInputs(subflow, parent, flow.intake_form, parent.secrets)
  const child = startRun(flow, { ...inputs, ...answer.subflow?.variables }, parent)
  const played = describePlayed(play, 'subflow_start', answer)
  parent.subflows++
  play.runs.push(child)
  return played
}

const listAncestors = ({ runs }: Play) =>
  runs.map(({ flow, subflows }) => ({ tree_id: flow.tree_id, subflows })).toReversed()

/** Complete the innermost sub-flow, whose outcome may answer the step that runs it. */
function completeSubflow(play: Play, answer: DryRunAnswer): Played {
  const { step_id, subflow_outcome } = answer
  const parent = play.runs.at(-2)
  if (!parent || !subflow_outcome) throw new Problem('wrong_state', 'No sub-flow is running')
  if (parent.current_step_id !== step_id) throw steps.createStepProblem(parent)
  const outputs = Variables.safeParse({
    ...parent.variables,
    ...collectOutputs(parent, getCurrentRun(play)),
  })
  if (outputs.success) parent.variables = outputs.data
  play.runs.pop()
  const step = findAnswerableStep(parent.tree_structure, step_id)
  const stepAnswer = step ? getSubflowAnswer(step, subflow_outcome) : null
  const played = describePlayed(play, 'subflow_end', { step_id, ...stepAnswer })
  if (stepAnswer) moveOn(parent, { step_id, ...stepAnswer })
  return played
}

function describePlayed(
  play: Play,
  type: DryRunStep['type'],
  {
    step_id,
    option_id,
    outcome,
    fallback,
  }: Pick<DryRunAnswer, 'step_id' | 'option_id' | 'outcome' | 'fallback'>,
): Played {
  return {
    type,
    tree_id: getCurrentRun(play).flow.tree_id,
    level: play.runs.length - 1,
    step_id,
    option_id: option_id ?? null,
    outcome: outcome ?? null,
    fallback_step_id: fallback?.fallback_step_id ?? null,
  }
}

/** Return a refusal as a session answers it. Throw what is none. */
function toError(error: unknown, index: number, step_id: string | null): DryRunError {
  if (!(error instanceof Problem) || error.status >= 500) throw error
  const { errors = [], reason = null } = error.body as Partial<Pick<DryRunError, 'errors' | 'reason'>>
  const code = isErrorCode(error.kind) ? error.kind : null
  return { index, step_id, status: error.status, code, detail: error.message, reason, errors }
}

async function describeRun(db: Db, play: Play, current: Run, isCompleted: boolean) {
  const { tree_structure, current_step_id } = current
  const values = collectVariables(current)
  const step = current_step_id === null ? undefined : findAnswerableStep(tree_structure, current_step_id)
  const remaining = isCompleted ? 0 : countRemainingAnswers(tree_structure, current_step_id)
  return {
    current_step_id,
    current_step: current_step_id === null ? null : renderStep(tree_structure, current_step_id, values),
    effects: step ? await describeEffects(db, play, step) : null,
    procedure_end: current_step_id === null ? renderProcedureEnd(tree_structure, values) : null,
    progress: computeProgress(current.answered, remaining),
    variables: sessions.describeVariables(current),
  }
}

type Step = NonNullable<ReturnType<typeof findAnswerableStep>>

async function describeEffects(db: Db, play: Play, step: Step): Promise<StepEffects> {
  const { script_template_id: template_id } = step
  const script = template_id ? await queries.selectScript(db, template_id) : undefined
  return {
    required_note: step.evidence?.some(({ type }) => type === 'note') ?? false,
    required_approval: Boolean(step.approval),
    script: template_id ? { template_id, name: script?.name ?? null, risk: script?.risk ?? null } : null,
    subflow: await describeSubflow(db, play, step),
  }
}

async function describeSubflow(
  db: Db,
  play: Play,
  { id: step_id, subflow }: Step,
): Promise<StepEffects['subflow']> {
  if (!subflow) return null
  const { tree_id } = subflow
  try {
    const { version } = await subflows.findSubflow(db, subflow, listAncestors(play))
    return { tree_id, version, reason: null }
  } catch (error) {
    const { reason, code } = toError(error, 0, step_id)
    return { tree_id, version: null, reason: reason ?? code }
  }
}
