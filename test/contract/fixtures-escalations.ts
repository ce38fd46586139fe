import { insertAiSession } from '#test/support/ai.ts'
import type { Service } from '#test/support/app.ts'
import { insertEscalation } from '#test/support/escalations.ts'
import { createPerson, type Person } from '#test/support/people.ts'
import type { Fixture } from './fixture-rows.ts'
import { insertFollowUp } from './fixtures-oncall.ts'

function createColleague(service: Service, { accountId, teamId }: Person): Promise<Person> {
  return createPerson(service, {
    accountId,
    teamId: teamId || null,
    teamRole: teamId ? 'member' : null,
    role: 'engineer',
    superAdmin: false,
  })
}

const createOwnSession: Fixture = async (service, owner) => ({
  params: { session_id: await insertAiSession(service, owner) },
})
const createColleagueEscalation: Fixture = async (service, owner) => ({
  params: await insertEscalation(service, await createColleague(service, owner)),
})
const escalationInput = {
  summary: 'Reception cannot print.',
  what_was_tried: 'The spooler.',
  next_steps: 'The driver.',
  reason: '',
  urgency: 'high',
}

export const escalationFixtures = {
  'ai.handoffs.draft': createOwnSession,
  'ai.handoffs.create': async (service, owner) => ({
    ...(await createOwnSession(service, owner)),
    body: {
      intent: 'escalate',
      ...escalationInput,
      target_user_id: (await createColleague(service, owner)).id,
    },
  }),
  'ai.handoffs.escalate': async (service, owner) => ({
    ...(await createOwnSession(service, owner)),
    body: escalationInput,
  }),
  'ai.handoffs.list': async (service, owner) => {
    const { session_id } = await insertEscalation(service, owner)
    return { params: { session_id }, query: { skip: '0', limit: '20' } }
  },
  'ai.handoffs.resume': async (service, owner) => {
    const session_id = await insertAiSession(service, owner)
    await service.sql(`update ai_sessions set status = 'parked' where id = $1`, [session_id])
    return { params: { session_id } }
  },
  'ai.escalations.claim': createColleagueEscalation,
  'ai.escalations.acknowledge': async (service, owner) => {
    const sample = await createColleagueEscalation(service, owner)
    await insertFollowUp(service, owner.accountId)
    await service.sql(
      `update ai_sessions set escalation_package = jsonb_build_object('handoff_id', $2::text) where id = $1`,
      [sample.params?.session_id, sample.params?.handoff_id],
    )
    return sample
  },
  'ai.escalations.pickUp': async (service, owner) => {
    const { params: { session_id = '' } = {} } = await createColleagueEscalation(service, owner)
    return { params: { session_id } }
  },
  'ai.escalations.listQueue': async (service, owner) => {
    await createColleagueEscalation(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'ai.escalations.stream': async () => ({}),
  'analytics.getEscalations': async (service, owner) => {
    await createColleagueEscalation(service, owner)
    return { query: { period: '30d' } }
  },
} satisfies Record<string, Fixture>
