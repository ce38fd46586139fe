import { desk, type Service } from './app.ts'
import type { Person } from './people.ts'
import { newSession } from './sessions.ts'

export const goal = 'If the printer answers a ping, then clear the print queue. Otherwise reseat the network cable.'
export const conversations = '/ai/flow-builder/conversations'

/** Asks for a flow; what is given differs from a small tree. */
export const startBuilding = (person: Person, about: Record<string, unknown> = {}) =>
  person.call('POST', conversations, { goal, tree_type: 'troubleshooting', ...about })

export const refine = (person: Person, id: string, message: string) => person.call('POST', `${conversations}/${id}/messages`, { message })

export const quotaOf = async (person: Person) => (await person.call('GET', '/ai/quota')).body

/** Puts an account on a plan with so many builds used of the month that is under way. */
export async function onPlan(service: Service, accountId: string, plan: string, used = 0): Promise<void> {
  await service.sql(`update accounts set plan = $2, subscription_status = 'active', trial_ends_at = null where id = $1`, [accountId, plan])
  await service.sql(
    `insert into quota_counters (account_id, quota, period_start, used) select id, 'ai_builds', app.quota_period(a), $2 from accounts a where id = $1`,
    [accountId, used],
  )
}

/** The facts of the newest questions to the model of this kind, the newest first. */
export async function askedOf(service: Service, name: string): Promise<Record<string, unknown>[]> {
  const calls = (await desk(service).read('ai')).filter(({ request }) => request.response_format.json_schema.name === name)
  return calls.map(({ request }) => JSON.parse(request.messages[1].content))
}

export const convert = (person: Person, sessionId: string, target_tree_id?: string) =>
  person.call('POST', `/sessions/${sessionId}/convert-to-flow`, target_tree_id ? { target_tree_id } : {})

/** A completed session of this person's, with a step that the flow did not have and a note. */
export async function doneRun(person: Person, about: Record<string, unknown> = {}) {
  const session = await newSession(person, about)
  const added = { source: 'ad-hoc', after_step_id: 'ping', title: 'Wiggled the quuxplug', description: 'Twice.' }
  await person.call('POST', `/sessions/${session.id}/custom-steps`, added)
  await person.call('POST', `/sessions/${session.id}/decisions`, { step_id: 'ping', option_id: 'no', note: 'The flange was loose' })
  const done = await person.call('POST', `/sessions/${session.id}/complete`, { outcome: 'resolved', notes: 'Look at the flange first' })
  if (done.status !== 200) throw new Error(`The session was not completed: ${done.text}`)
  return done.body
}
