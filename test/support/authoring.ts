import { dashboard, type Service } from './app.ts'
import type { Person } from './people.ts'
import { createSession } from './sessions.ts'

export const flowGoal =
  'If the printer answers a ping, then clear the print queue. Otherwise reseat the network cable.'
export const conversationsPath = '/ai/flow-builder/conversations'

/** Ask the flow builder for a small troubleshooting flow. `fields` replace parts of the request body. */
export const startFlowConversation = (person: Person, fields: Record<string, unknown> = {}) =>
  person.call('POST', conversationsPath, { goal: flowGoal, tree_type: 'troubleshooting', ...fields })

export const refineFlow = (person: Person, id: string, message: string) =>
  person.call('POST', `${conversationsPath}/${id}/messages`, { message })

export const getQuota = async (person: Person) => (await person.call('GET', '/ai/quota')).body

/** Put an account on a plan. `used` is the number of AI builds in the current quota period. */
export async function setAccountPlan(
  service: Service,
  accountId: string,
  plan: string,
  used = 0,
): Promise<void> {
  await service.sql(
    `update accounts set plan = $2, subscription_status = 'active', trial_ends_at = null where id = $1`,
    [accountId, plan],
  )
  await service.sql(
    `insert into quota_counters (account_id, quota, period_start, used) select id, 'ai_builds', app.quota_period(a), $2 from accounts a where id = $1`,
    [accountId, used],
  )
}

/** Return the facts of the recent model requests with this response schema, newest first. */
export async function listModelFacts(
  service: Service,
  schemaName: string,
): Promise<Record<string, unknown>[]> {
  const calls = (await dashboard(service).listRecords('ai')).filter(
    ({ request }) => request.response_format?.json_schema.name === schemaName,
  )
  return calls.map(({ request }) => ({
    ...JSON.parse(request.messages[1].content),
    ...JSON.parse(request.messages.at(-1).content),
  }))
}

export const convertSession = (person: Person, sessionId: string, target_tree_id?: string) =>
  person.call('POST', `/sessions/${sessionId}/convert-to-flow`, target_tree_id ? { target_tree_id } : {})

/** Create a completed session that has a custom step and a note on one answer. */
export async function createCompletedSession(person: Person, fields: Record<string, unknown> = {}) {
  const session = await createSession(person, fields)
  const customStep = {
    source: 'ad-hoc',
    after_step_id: 'ping',
    title: 'Wiggled the quuxplug',
    description: 'Twice.',
  }
  await person.call('POST', `/sessions/${session.id}/custom-steps`, customStep)
  await person.call('POST', `/sessions/${session.id}/decisions`, {
    step_id: 'ping',
    option_id: 'no',
    note: 'The flange was loose',
  })
  const response = await person.call('POST', `/sessions/${session.id}/complete`, {
    outcome: 'resolved',
    notes: 'Look at the flange first',
  })
  if (response.status !== 200) throw new Error(`The session was not completed: ${response.text}`)
  return response.body
}
