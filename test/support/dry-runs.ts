import fc from 'fast-check'
import { expect } from 'vitest'
import { recordedServices } from '#local/vendors/records.ts'
import { changeSteps } from '#rules/flows/change-steps.ts'
import type { EvidenceRequirement } from '#rules/flows/evidence.ts'
import type { FlowNode, FlowStep, TreeStructure } from '#rules/flows/structure.ts'
import { listSubflows } from '#rules/flows/subflow.ts'
import { replaceSubflowIds } from '#rules/flows/subflow-ids.ts'
import type { ApiResponse, OwnService } from './app.ts'
import { expectStatus } from './expect-status.ts'
import { publishableFlow } from './flow-arbitraries.ts'
import { createImage, uploadImage } from './images.ts'
import { createAccount, type Person } from './people.ts'

// Random walks through random flows, once in sessions and once as dry runs.

const maxActs = 8

/** A flow, a flow that its steps run, and the numbers that choose what is done. */
export const walk = fc.record({
  flow: publishableFlow,
  child: publishableFlow,
  numbers: fc.array(fc.nat(9999), { minLength: 200, maxLength: 200 }),
})
export type Walk = typeof walk extends fc.Arbitrary<infer T> ? T : never

type Act = Record<string, unknown> & { step_id: string }
interface Step {
  id: string
  type: string
  options: { id: string }[]
  fallback_steps: { id: string }[]
  evidence: EvidenceRequirement[]
  approval: unknown
  subflow: unknown
}

/** Whoever runs a flow, an admin who approves, and the sessions in progress, of which the last is current. */
interface Scene {
  service: OwnService
  runner: Person
  admin: Person
  sessions: string[]
  /** The places where a step was approved. */
  approved: Set<string>
  next: (count: number) => number
}

/** Return one checksum per table of the database, and the ids of what the emulators received. */
export async function readEverything(service: OwnService): Promise<Record<string, unknown>> {
  await service.stack.localServer.qstash.waitUntilSettled()
  const tables = await service.sql<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  const checksums = tables.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ':' || md5(coalesce(string_agg(md5(x::text), '' order by md5(x::text)), '')) as sum from ${name} x`,
  )
  const rows = await service.sql<{ name: string; sum: string }>(checksums.join(' union all '))
  const received = await Promise.all(
    recordedServices.map(async (name) => {
      const records = await (await fetch(`${service.localOrigin}/desk/${name}`)).json()
      return [`emulator ${name}`, records.map(({ id }: { id: string }) => id)] as const
    }),
  )
  return Object.fromEntries([...rows.map(({ name, sum }) => [name, sum] as const), ...received])
}

/** Choose options for the outcomes of the sub-flow of each decision, and no flow but `childId`. */
function withChild(structure: TreeStructure, childId: string): TreeStructure {
  const ids = listSubflows(structure).map(({ subflow }) => [subflow.tree_id, childId] as const)
  return changeSteps(
    replaceSubflowIds(structure, new Map(ids)),
    <N extends FlowNode | FlowStep>(node: N): N => {
      const optionId = 'options' in node ? node.options?.[0]?.id : undefined
      return node.subflow && optionId && node.type === 'decision'
        ? { ...node, subflow: { ...node.subflow, options: { resolved: optionId } } }
        : node
    },
  )
}

async function publish(
  person: Person,
  { intake_form, ...flow }: Walk['flow'],
  tree_structure: TreeStructure,
): Promise<string> {
  const form = intake_form.map((field) => ({ ...field, required: false }))
  const body = { ...flow, tree_structure, intake_form: form, status: 'published', visibility: 'account' }
  return expectStatus(await person.call('POST', '/trees', body), 201).body.id
}

/** What sessions were in a walk: their states before the first and after each act, and the refusals. */
interface PlayedWalk {
  runner: Person
  treeId: string
  acts: Act[]
  states: ReturnType<typeof toState>[]
  refusals: ReturnType<typeof toComparable>[]
  isCompleted: boolean
}

const details = { ticket_number: 'T-1', client_name: 'Contoso', variables: { sub_a: 'x', free: 5 } }
const outcome = 'resolved'

/** Play walks in sessions, then every beginning of them as dry runs, and compare them. */
export async function compareWalks(service: OwnService, walks: readonly Walk[]): Promise<void> {
  const played: PlayedWalk[] = []
  for (const each of walks) played.push(await playWalk(service, each))
  const before = await readEverything(service)
  for (const each of played) await compareDryRuns(each)
  expect(await readEverything(service)).toEqual(before)
}

async function playWalk(service: OwnService, { flow, child, numbers }: Walk): Promise<PlayedWalk> {
  const { admin, addColleague } = await createAccount(service)
  const runner = await addColleague()
  const childId = await publish(runner, child, replaceSubflowIds(child.tree_structure, new Map()))
  const treeId = await publish(runner, flow, withChild(flow.tree_structure, childId))
  let session = expectStatus(
    await runner.call('POST', '/sessions', { ...details, tree_id: treeId }),
    201,
  ).body
  const rootId = session.id
  let position = 0
  const next = (count: number) => (numbers[position++ % numbers.length] ?? 0) % count
  const scene: Scene = { service, runner, admin, sessions: [rootId], approved: new Set(), next }
  const acts: Act[] = []
  const states = [toState(session, 1)]
  const refusals: PlayedWalk['refusals'] = []
  while (acts.length < maxActs) {
    const act = await chooseAct(scene, session)
    const isAnswer = 'option_id' in act || 'outcome' in act
    if (isAnswer && scene.approved.has(toPlace(session))) act.is_approved = true
    const answer = await playAct(scene, session, act)
    acts.push(act)
    if (answer.status >= 400) refusals.push(toRefusal(acts.length - 1, act, answer))
    session = expectStatus(await runner.call('GET', `/sessions/${scene.sessions.at(-1)}`), 200).body
    states.push(toState(session, scene.sessions.length))
  }
  const completion = await runner.call('POST', `/sessions/${rootId}/complete`, { outcome })
  return { runner, treeId, acts, states, refusals, isCompleted: completion.status === 200 }
}

async function compareDryRuns({ runner, treeId, acts, states, refusals, isCompleted }: PlayedWalk) {
  const dryRun = async (body: object) => {
    const answer = await runner.call('POST', `/trees/${treeId}/dry-run`, { ...details, ...body })
    return expectStatus(answer, 200).body
  }
  for (const [count, state] of states.entries()) {
    const played = await dryRun({ answers: acts.slice(0, count) })
    expect(played.errors.map(toComparable)).toEqual(refusals.filter(({ index }) => index < count))
    expect(toState(played, played.open_subflows.length + 1)).toEqual(state)
  }
  const completed = await dryRun({ answers: acts, outcome })
  expect([completed.state, completed.outcome]).toEqual(
    isCompleted ? ['completed', outcome] : ['in_progress', null],
  )
}

/** Return the position of a session, for which an approval is valid. */
const toPlace = ({ id, progress }: { id: string; progress: { answered: number } }) =>
  `${id} ${progress.answered}`

/** Return what a session and a dry run have in common. */
function toState(run: Record<string, unknown>, openRuns: number) {
  const { state, outcome, current_step_id, current_step, procedure_end, progress, variables } = run
  return { state, outcome, current_step_id, current_step, procedure_end, progress, variables, openRuns }
}

function toRefusal(index: number, { step_id }: Act, { status, body }: ApiResponse) {
  return toComparable({ index, step_id, status, ...body })
}

function toComparable(error: Record<string, unknown>) {
  const { index, step_id, status, code = null, detail, reason = null, errors = [] } = error
  return { index: index as number, step_id, status, code, detail, reason, errors }
}

type CurrentSession = Parameters<typeof toPlace>[0] & {
  current_step: Step | null
  parent_step_id: string | null
}

async function chooseAct(scene: Scene, session: CurrentSession): Promise<Act> {
  const { current_step } = session
  const { next, sessions } = scene
  const step_id = current_step?.id ?? 'nowhere'
  switch (next(12)) {
    case 0:
      return { step_id: 'nowhere', outcome: 'done' }
    case 1:
      return { step_id, option_id: 'unknown' }
    case 2:
      return { step_id, outcome: 'done' }
    case 3:
      return {
        step_id,
        fallback: {
          fallback_step_id: current_step?.fallback_steps[0]?.id ?? 'unknown',
          outcome: 'failed',
        },
      }
    case 4:
      return { step_id, custom_step: { title: 'Asked' } }
    case 5:
    case 6:
      if (sessions.length > 1)
        return { step_id: '', subflow_outcome: ['resolved', 'unresolved', 'escalated'][next(3)] }
  }
  if (!current_step) return { step_id, outcome: 'done' }
  if (current_step.subflow && next(3) > 0) return { step_id, subflow: { variables: { free: next(3) } } }
  if (current_step.approval) await approve(scene, session)
  return chooseAnswer(scene, current_step)
}

/** Choose an answer that counts. */
async function chooseAnswer(scene: Scene, { id, options, ...step }: Step): Promise<Act> {
  const { next } = scene
  const choice =
    step.type === 'decision'
      ? { option_id: options[next(options.length)]?.id }
      : { outcome: ['done', 'skipped', 'failed'][next(3)] }
  const evidence = await Promise.all(
    step.evidence.map(async (requirement) => [requirement.key, await provide(scene, requirement)] as const),
  )
  const values = Object.fromEntries(evidence.filter(([, value]) => value !== undefined))
  return {
    step_id: id,
    ...choice,
    ...(step.evidence.some(({ type }) => type === 'note') ? { note: 'Seen' } : {}),
    ...(evidence.length > 0 ? { evidence: values } : {}),
  }
}

async function provide({ service, runner, next }: Scene, { type, options }: EvidenceRequirement) {
  switch (type) {
    case 'note':
      return undefined
    case 'screenshot':
      if (next(2) === 0) return crypto.randomUUID()
      return (await uploadImage(service, runner, await createImage('png', 8, 8))).body.id as string
    case 'number':
      return 12.5
    case 'boolean':
      return true
    default:
      return options?.[0] ?? 'X-4711'
  }
}

/** Have the current step approved, if that is possible. */
async function approve({ runner, admin, approved }: Scene, session: CurrentSession): Promise<void> {
  const path = `/sessions/${session.id}/approvals`
  const requested = await runner.call('POST', path, {})
  if (requested.status !== 201) return
  const decided = await admin.call('POST', `${path}/${requested.body.id}/approve`, {})
  if (decided.status === 200) approved.add(toPlace(session))
}

/** Do in a session what an answer of a dry run says. */
async function playAct(scene: Scene, session: CurrentSession, act: Act): Promise<ApiResponse> {
  const { runner, sessions } = scene
  const { step_id, custom_step, subflow, subflow_outcome, is_approved: _, ...answer } = act
  const path = `/sessions/${session.id}`
  if (custom_step)
    return runner.call('POST', `${path}/custom-steps`, {
      ...(custom_step as object),
      source: 'ad-hoc',
      after_step_id: step_id,
    })
  if (subflow) {
    const started = await runner.call('POST', `${path}/subflows`, subflow)
    if (started.status === 201) sessions.push(started.body.id)
    return started
  }
  if (subflow_outcome) {
    act.step_id = session.parent_step_id ?? ''
    const completed = await runner.call('POST', `${path}/complete`, { outcome: subflow_outcome })
    if (completed.status === 200) sessions.pop()
    return completed
  }
  return runner.call('POST', `${path}/decisions`, { step_id, ...answer })
}
