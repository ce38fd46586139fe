import type { Service } from '../support/app.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Fixture, idOf } from './fixture-rows.ts'
import { insertAiSession } from './fixtures-ai.ts'

function colleagueOf(service: Service, { accountId, teamId }: Person): Promise<Person> {
  return newPerson(service, { accountId, teamId: teamId || null, teamRole: teamId ? 'member' : null, role: 'engineer', superAdmin: false })
}

/** A session that this person escalated, waiting; its assessment is done, so that no job meddles. */
export async function insertEscalation(service: Service, maker: Person): Promise<{ session_id: string; handoff_id: string }> {
  const session_id = await insertAiSession(service, maker)
  await service.sql(`update ai_sessions set status = 'escalated' where id = $1`, [session_id])
  const handoff_id = await idOf(
    service,
    `insert into ai_handoffs (account_id, session_id, intent, created_by, summary, assessment_status)
     values ($1, $2, 'escalate', $3, 'Reception cannot print.', 'failed') returning id`,
    [maker.accountId, session_id, maker.id],
  )
  return { session_id, handoff_id }
}

const own: Fixture = async (service, owner) => ({ params: { session_id: await insertAiSession(service, owner) } })
const waiting: Fixture = async (service, owner) => ({ params: await insertEscalation(service, await colleagueOf(service, owner)) })
const given = { summary: 'Reception cannot print.', what_was_tried: 'The spooler.', next_steps: 'The driver.', reason: '', urgency: 'high' }

export const escalationFixtures: Record<string, Fixture> = {
  'ai.handoffs.draft': own,
  'ai.handoffs.create': async (service, owner) => ({
    ...(await own(service, owner)),
    body: { intent: 'escalate', ...given, target_user_id: (await colleagueOf(service, owner)).id },
  }),
  'ai.handoffs.escalate': async (...of) => ({ ...(await own(...of)), body: given }),
  'ai.handoffs.list': async (service, owner) => {
    const { session_id } = await insertEscalation(service, owner)
    return { params: { session_id }, query: { skip: '0', limit: '20' } }
  },
  'ai.handoffs.resume': async (service, owner) => {
    const session_id = await insertAiSession(service, owner)
    await service.sql(`update ai_sessions set status = 'parked' where id = $1`, [session_id])
    return { params: { session_id } }
  },
  'ai.escalations.claim': waiting,
  'ai.escalations.pickUp': async (...of) => {
    const { params: { session_id = '' } = {} } = await waiting(...of)
    return { params: { session_id } }
  },
  'ai.escalations.listQueue': async (...of) => {
    await waiting(...of)
    return { query: { skip: '0', limit: '20' } }
  },
  'ai.escalations.stream': async () => ({}),
  'analytics.getEscalations': async (...of) => {
    await waiting(...of)
    return { query: { period: '30d' } }
  },
}
