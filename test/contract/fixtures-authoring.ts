import type { Service } from '#test/support/app.ts'
import { flowBody } from '#test/support/flows.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertFullSession } from './fixtures-sessions.ts'

const { tree_type, tree_structure, intake_form } = flowBody()
const draft = {
  name: 'Printer offline',
  description: 'A network printer shows as offline.',
  tree_type,
  tree_structure,
  intake_form,
}
const goal = 'If the printer answers a ping, then clear the print queue, otherwise reseat the network cable.'

/** Insert the owner's flow-builder conversation with a draft. */
export function insertConversation(service: Service, { accountId, id }: Person): Promise<string> {
  const messages = [{ role: 'user', content: goal, created_at: '2026-11-21T09:30:00.000Z' }]
  return insertReturningId(
    service,
    `insert into flow_conversations (account_id, user_id, goal, tree_type, environment_tags, messages, draft)
     values ($1, $2, $3, $4, '["windows 11"]', $5, $6) returning id`,
    [accountId, id, goal, tree_type, JSON.stringify(messages), JSON.stringify(draft)],
  )
}

/** Insert the owner's proposal for a new flow, from a deleted session. */
export function insertProposal(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into flow_proposals (account_id, team_id, submitted_by, source, source_id, action, proposed_flow)
     values ($1, $2, $3, 'session', gen_random_uuid(), 'create', $4) returning id`,
    [accountId, teamId || null, id, JSON.stringify(draft)],
  )
}

/** Insert the owner's finished task. */
function insertTask(service: Service, { accountId, id, signInId }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into ai_tasks (account_id, user_id, sign_in_id, operation, path, body, state, finished_at, response_status, response_body)
     values ($1, $2, $3, 'ai.outputs.createStatusUpdate', '/ai-sessions', '', 'finished', now(), 200, '{"text": "It works again."}') returning id`,
    [accountId, id, signInId],
  )
}

/** Insert the owner's completed session with one row in every table that belongs to it. */
export async function insertCompletedSession(service: Service, owner: Person): Promise<string> {
  const { session_id } = await insertFullSession(service, owner)
  await service.sql(
    `update sessions set state = 'completed', outcome = 'resolved', completed_at = now(), current_step_id = null, remaining = 0
      where account_id = $1 and id = $2`,
    [owner.accountId, session_id],
  )
  return session_id
}

const createConversation: Fixture = async (service, owner) => ({
  params: { conversation_id: await insertConversation(service, owner) },
})
const createProposal: Fixture = async (service, owner) => ({
  params: { proposal_id: await insertProposal(service, owner) },
})

export const authoringFixtures = {
  'authoring.flowBuilder.start': async () => ({
    body: { goal, tree_type, environment_tags: ['windows 11'] },
  }),
  'authoring.flowBuilder.list': async (service, owner) => {
    await createConversation(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'authoring.flowBuilder.get': createConversation,
  'authoring.flowBuilder.sendMessage': async (service, owner) => ({
    ...(await createConversation(service, owner)),
    body: { message: 'Rename the root to “Does it answer?”' },
  }),
  'authoring.flowBuilder.commit': async (service, owner) => ({
    ...(await createConversation(service, owner)),
    body: { name: 'Printer shows offline' },
  }),
  'authoring.flowBuilder.delete': createConversation,

  'authoring.assistant.getQuota': async () => ({}),
  'ai.usage.get': async () => ({}),
  'ai.tasks.list': async (service, person) => {
    await insertTask(service, person)
    return {}
  },
  'ai.tasks.get': async (service, person) => ({ params: { task_id: await insertTask(service, person) } }),
  'authoring.assistant.suggest': async () => ({
    body: { tree_type, tree_structure, instruction: 'Rename the root to “Does it answer?”', node_id: 'ping' },
  }),

  'authoring.proposals.create': async (service, owner) => ({
    params: { session_id: await insertCompletedSession(service, owner) },
    body: {},
  }),
  'authoring.proposals.list': async (service, owner) => {
    await insertProposal(service, owner)
    return { query: { skip: '0', limit: '20', status: 'pending' } }
  },
  'authoring.proposals.get': createProposal,
  'authoring.proposals.approve': createProposal,
  'authoring.proposals.reject': async (service, owner) => ({
    ...(await createProposal(service, owner)),
    body: { reason: 'The flow “Printer offline” covers this.' },
  }),
} satisfies Record<string, Fixture>
