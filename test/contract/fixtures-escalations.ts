import { insertAiSession } from '../support/ai.ts'
import type { Service } from '../support/app.ts'
import { insertEscalation } from '../support/escalations.ts'
import { createPerson, type Person } from '../support/people.ts'
import type { Fixture } from './fixture-rows.ts'

function colleagueOf(service: Service, { accountId, teamId }: Person): Promise<Person> {
  return createPerson(service, {
    accountId,
    teamId: teamId || null,
    teamRole: teamId ? 'member' : null,
    role: 'engineer',
    superAdmin: false,
  })
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
