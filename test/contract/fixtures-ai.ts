import { insertAiSession } from '../support/ai.ts'
import type { Service } from '../support/app.ts'
import type { Person } from '../support/people.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { connected } from './fixtures-psa.ts'

function insertUpload(service: Service, { accountId }: Person): Promise<string> {
  const statement = `insert into uploads (account_id, object_key, content_type, width, height, size)
                     values ($1, gen_random_uuid()::text, 'image/jpeg', 1, 1, 1) returning id`
  return insertReturningId(service, statement, [accountId])
}

/** Insert an AI session with one row in every table that belongs to it. */
export async function insertFullAiSession(service: Service, owner: Person) {
  const session_id = await insertAiSession(service, owner, 'guided')
  const of = [owner.accountId, session_id]
  const insert = (statement: string, ...more: unknown[]) => insertReturningId(service, statement, [...of, ...more])
  const branch_id = await insert(
    `insert into ai_branches (account_id, session_id, name, created_by) values ($1, $2, 'The cable', $3) returning id`,
    owner.id,
  )
  const message = await insert(
    `insert into ai_messages (account_id, session_id, branch_id, role, content, author_id)
     select account_id, id, active_branch_id, 'user', 'It is offline.', user_id from ai_sessions where account_id = $1 and id = $2 returning id`,
  )
  await service.sql(`insert into ai_message_uploads (account_id, session_id, message_id, place, upload_id) values ($1, $2, $3, 0, $4)`, [
    ...of,
    message,
    await insertUpload(service, owner),
  ])
  await insert(
    `insert into ai_steps (account_id, session_id, seq, kind, text) values ($1, $2, 1, 'question', 'Does it answer a ping?') returning id`,
  )
  await insert(
    `insert into ai_facts (account_id, session_id, key, value, source, created_by) values ($1, $2, 'printer', 'PRN-1', 'user', $3) returning id`,
    owner.id,
  )
  const fix_id = await insert(
    `insert into ai_fixes (account_id, session_id, title, description, kind, ai_drafted_script, ai_drafted_language, ai_outcome_proposal)
     values ($1, $2, 'Restart the spooler', '', 'script', 'Restart-Service Spooler', 'powershell', '{"outcome": "applied_success", "reason": "worked", "created_at": "2026-11-21T09:30:00.000Z"}') returning id`,
  )
  const output_id = await insert(
    `insert into ai_outputs (account_id, session_id, kind, content, created_by) values ($1, $2, 'ticket_note', 'Done.', $3) returning id`,
    owner.id,
  )
  await insert(
    `insert into ai_handoffs (account_id, session_id, intent, created_by, closed_at) values ($1, $2, 'park', $3, now()) returning id`,
    owner.id,
  )
  return { session_id, branch_id, fix_id, output_id }
}

const chat: Fixture = async (service, owner) => ({ params: { session_id: await insertAiSession(service, owner) } })
const guided: Fixture = async (service, owner) => ({ params: { session_id: await insertAiSession(service, owner, 'guided') } })
const full: Fixture = async (service, owner) => ({ params: { session_id: (await insertFullAiSession(service, owner)).session_id } })

/** A fixture with a session and one of its parts. */
const part =
  (name: 'branch_id' | 'fix_id' | 'output_id'): Fixture =>
  async (service, owner) => {
    const made = await insertFullAiSession(service, owner)
    return { params: { session_id: made.session_id, [name]: made[name] } }
  }

export const aiFixtures: Record<string, Fixture> = {
  'ai.turns.createSession': async () => ({
    body: { session_type: 'chat', problem_summary: 'Reception cannot print.', psa_ticket_id: '4711', environment_tags: ['windows 11'] },
  }),
  'ai.turns.sendMessage': async (...of) => ({ ...(await chat(...of)), body: { message: 'It shows “offline”.' } }),
  'ai.turns.listMessages': async (...of) => ({ ...(await full(...of)), query: { skip: '0', limit: '20' } }),
  'ai.turns.respondToStep': async (...of) => ({ ...(await guided(...of)), body: {} }),
  'ai.sessions.list': async (...of) => {
    await full(...of)
    return { query: { skip: '0', limit: '20', session_type: 'guided', psa_ticket_id: '4711', status: 'active' } }
  },
  'ai.sessions.get': full,
  'ai.sessions.delete': full,
  'ai.sessions.resolve': async (...of) => ({ ...(await full(...of)), body: { outcome: 'resolved', notes: 'A new driver.' } }),
  'ai.sessions.abandon': full,

  'ai.triage.update': async (...of) => ({
    ...(await full(...of)),
    body: { client_name: 'Contoso Dental', asset_name: null, evidence_items: ['It shows “offline”.'] },
  }),
  'ai.triage.putTaskLane': async (...of) => ({
    ...(await full(...of)),
    body: { questions: [{ id: 'q1', text: 'Since when?' }], actions: [{ id: 'a1', text: 'Ping it', done: true }], responses: [] },
  }),
  'ai.triage.listBranches': async (...of) => ({ ...(await full(...of)), query: { skip: '0', limit: '20' } }),
  'ai.triage.createBranch': async (...of) => ({ ...(await full(...of)), body: { name: 'What if it is the cable?' } }),
  'ai.triage.activateBranch': part('branch_id'),
  'ai.triage.listFacts': full,
  'ai.triage.putFact': async (...of) => ({ ...(await full(...of)), body: { key: 'printer', value: 'PRN-2' } }),

  'ai.fixes.list': async (...of) => ({ ...(await full(...of)), query: { skip: '0', limit: '20' } }),
  'ai.fixes.apply': part('fix_id'),
  'ai.fixes.clearProposal': part('fix_id'),
  'ai.fixes.recordOutcome': async (...of) => ({
    ...(await part('fix_id')(...of)),
    body: { outcome: 'applied_partial', notes: 'In black only.' },
  }),
  'ai.fixes.updateScript': async (...of) => ({
    ...(await part('fix_id')(...of)),
    body: { script: 'Restart-Service -Name {{ service }}', parameters: [{ name: 'service', label: 'Service', type: 'string' }] },
  }),
  'ai.fixes.decideScript': async (...of) => ({ ...(await part('fix_id')(...of)), body: { decision: 'draft_template' } }),

  'ai.outputs.createStatusUpdate': async (...of) => ({ ...(await full(...of)), body: { audience: 'client_update', length: 'detailed' } }),
  'ai.outputs.list': async (...of) => ({ ...(await full(...of)), query: { skip: '0', limit: '20' } }),
  'ai.outputs.create': async (...of) => ({ ...(await full(...of)), body: { kind: 'kb_article' } }),
  'ai.outputs.update': async (...of) => ({ ...(await part('output_id')(...of)), body: { content: 'Done, and seen to work.' } }),
  'ai.outputs.push': async (service, owner) => {
    await connected(service, owner)
    return part('output_id')(service, owner)
  },
  'ai.outputs.retryPush': async (service, owner) => {
    await connected(service, owner)
    const sample = await full(service, owner)
    await service.sql(`update ai_sessions set status = 'resolved', outcome = 'resolved', resolved_at = now() where id = $1`, [
      sample.params?.session_id,
    ])
    return sample
  },
}
