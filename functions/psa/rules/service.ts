import { findOwnerObstacle } from '#db/rows/case-owners.ts'
import type { WriteDb } from '#db/scope.ts'
import * as sessions from '#functions/sessions/sessions/service.ts'
import { toProblem } from '#http/app.ts'
import type { JobContext } from '#http/job.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { limitReached, Problem, throwNotFound } from '#problem.ts'
import { cut } from '#rules/text/clip.ts'
import type { Ticket } from '#vendors/psa/psa.ts'
import { matchesRule, toVariables } from '#vendors/psa/rules.ts'
import * as queries from './queries.ts'
import type { Rule, RuleCreate, RuleUpdate } from './schemas.ts'

const maxRules = 100

export function list({ db }: ReadContext): Promise<Rule[]> {
  return queries.selectRules(db)
}

export async function create(
  { db, caller }: WriteContext,
  { user_id = caller.userId, ...input }: RuleCreate,
): Promise<Rule> {
  const rule = { ...input, user_id }
  await sessions.requireFlowAndOwner(db, rule)
  const inserted = await queries.insertRule(db, rule, maxRules)
  return inserted ?? throwLimitReached()
}

export async function update({ db }: WriteContext, id: string, changes: RuleUpdate): Promise<Rule> {
  await sessions.requireFlowAndOwner(db, changes)
  if (Object.keys(changes).length > 0 && !(await queries.updateRule(db, id, changes))) throwNotFound('Rule')
  return (await queries.selectRule(db, id)) ?? throwNotFound('Rule')
}

export async function remove({ db }: WriteContext, id: string): Promise<void> {
  if (!(await queries.deleteRule(db, id))) throwNotFound('Rule')
}

function throwLimitReached(): never {
  throw limitReached('rules', maxRules, `An account has at most ${maxRules} rules; delete one first`)
}

type RuleContext = Pick<JobContext, 'openAccountScope' | 'vault'>

/**
 * Prepare a session for a ticket by the first enabled rule that matches it, once per ticket and rule. What
 * keeps the rule from it is recorded in the rule, and a later callback tries again. Throw what a retry may
 * solve.
 */
export async function prepareSession(ctx: RuleContext, accountId: string, ticket: Ticket): Promise<void> {
  const rules = await queries.selectEnabledRules(ctx.openAccountScope(accountId).db)
  const rule = rules.find((candidate) => matchesRule(candidate, ticket))
  if (!rule) return
  const scope = ctx.openAccountScope(accountId, rule.user_id)
  await scope
    .transaction((db) => prepareOnce(db, ctx, rule, ticket))
    .catch(async (error: unknown) => {
      const problem = toProblem(error)
      if (problem.status === 409 || problem.status >= 500) throw error
      await queries.failMatch(scope.db, rule.id, cut(problem.message, 1000))
    })
}

async function prepareOnce(
  db: WriteDb,
  { vault }: RuleContext,
  rule: queries.MatchRule,
  ticket: Ticket,
): Promise<void> {
  if (!(await queries.insertMatch.first(db, rule.id, ticket.id))) return
  const obstacle = await findOwnerObstacle(db, rule, 'rule')
  if (obstacle) throw new Problem('bad_request', obstacle)
  const client_name = ticket.company && cut(ticket.company, maxClientNameLength)
  const { id } = await sessions.prepare(
    { db, vault },
    {
      tree_id: rule.tree_id,
      ticket_number: ticket.id,
      client_name: client_name || undefined,
      variables: toVariables(rule.variables, ticket),
    },
  )
  await queries.completeMatch.run(db, rule.id, ticket.id, id)
}

// The limit of the column `sessions.client_name`.
const maxClientNameLength = 200
