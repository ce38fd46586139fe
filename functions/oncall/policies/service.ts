import { nameOrder, type PageQuery, toPage } from '#db/page.ts'
import type { ReadDb } from '#db/scope.ts'
import { getSqlState, throwUnknownId } from '#db/sqlstate.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import {
  type FieldError,
  invalidField,
  invalidRequest,
  notFound,
  Problem,
  requireVersion,
  throwNotFound,
} from '#problem.ts'
import { type EscalationStep, type EscalationTarget, haveNoDelay } from '#rules/oncall/escalation-step.ts'
import * as queries from './queries.ts'
import type { EscalationPolicy, PolicyCreate, PolicyUpdate } from './schemas.ts'

export async function list({ db }: ReadContext, page: PageQuery) {
  return toPage((await queries.selectPolicies(db, page)).map(toPolicy), page, nameOrder())
}

export async function get({ db }: Pick<ReadContext, 'db'>, id: string): Promise<EscalationPolicy> {
  return toPolicy(await find(db, id))
}

export async function create({ db }: WriteContext, input: PolicyCreate): Promise<EscalationPolicy> {
  requirePause(input)
  await requireTeamAndTargets(db, input.team_id, input.steps)
  return toPolicy(await queries.insertPolicy(db, input).catch(throwConflict))
}

export async function update(
  { db }: WriteContext,
  id: string,
  changes: PolicyUpdate,
): Promise<EscalationPolicy> {
  const { expected_version, ...columns } = changes
  const current = await requireEditable(db, id)
  const { team_id = current.team_id, steps = [] } = columns
  requirePause({ ...current, ...columns })
  await requireTeamAndTargets(db, team_id, steps)
  const isChange = Object.keys(columns).length > 0
  const updated = isChange ? await queries.updatePolicy(db, id, changes).catch(throwConflict) : undefined
  if (updated) return toPolicy(updated)
  const latest = isChange ? await requireEditable(db, id) : current
  requireVersion('escalation policy', latest, expected_version)
  return toPolicy(latest)
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deletePolicy(db, id))) await requireEditable(db, id)
}

/** Throw 409 `in_use` if escalation policies notify who is on call by the schedule. */
export async function requireUnusedSchedule(db: ReadDb, scheduleId: string): Promise<void> {
  const policies = await queries.selectPoliciesUsingSchedule.all(db, scheduleId)
  if (policies.length === 0) return
  throw new Problem('in_use', 'Escalation policies use this on-call schedule; change or delete them first', {
    facts: { policies },
  })
}

async function find(db: ReadDb, id: string): Promise<queries.PolicyRow> {
  return (await queries.selectPolicy(db, id)) ?? throwNotFound('Escalation policy')
}

async function requireEditable(db: ReadDb, id: string): Promise<queries.PolicyRow> {
  const policy = await find(db, id)
  if (!policy.may_change)
    throw new Problem(
      'forbidden',
      'Only an admin of its team or an account admin may change this escalation policy',
    )
  return policy
}

const resources = { user: 'User', schedule: 'On-call schedule', channel: 'Config' } as const satisfies Record<
  EscalationTarget['type'],
  string
>

/** Throw 422 for rounds that would follow each other without a pause. */
function requirePause({ rounds, steps }: Pick<PolicyCreate, 'rounds' | 'steps'>): void {
  if (rounds > 1 && haveNoDelay(steps))
    throw invalidField(['body', 'rounds'], 'must be 1 if no step has a delay')
}

/**
 * Throw 403 for a team that the caller does not administer, 404 for targets that the account does not have,
 * and 422 for viewers and inactive users.
 */
async function requireTeamAndTargets(
  db: ReadDb,
  teamId: string | null,
  steps: readonly EscalationStep[],
): Promise<void> {
  const ids = [...new Set(steps.flatMap(({ targets }) => targets.map(({ id }) => id)))]
  const { may_change, ...found } = await queries.selectTargets.one(db, ids, teamId)
  if (!may_change)
    throw new Problem('forbidden', 'A team admin may change escalation policies of their own team only')
  const known = { user: found.user_ids, schedule: found.schedule_ids, channel: found.channel_ids }
  const unknown = steps.flatMap(({ targets }) => targets).find(({ type, id }) => !known[type].includes(id))
  if (unknown) throw notFound(resources[unknown.type])
  const errors = steps.flatMap(({ targets }, step) =>
    targets.flatMap(({ type, id }, target): FieldError[] => {
      if (type !== 'user' || found.responder_ids.includes(id)) return []
      const loc = ['body', 'steps', step, 'targets', target, 'id']
      return [{ loc, msg: 'must be the id of an active engineer or admin', type: 'unknown' }]
    }),
  )
  if (errors.length > 0) throw invalidRequest(errors)
}

function throwConflict(error: unknown): never {
  if (getSqlState(error) === '23505')
    throw new Problem('conflict', 'The team has a default policy already; change that one first')
  return throwUnknownId('team_id', 'team', 'team_id')(error)
}

function toPolicy({ may_change: _, ...policy }: queries.PolicyRow): EscalationPolicy {
  return policy
}
