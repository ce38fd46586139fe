import { insertAiSession } from '#test/support/ai.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId, scriptRunBody } from './fixture-rows.ts'
import { connectAccount } from './fixtures-psa.ts'

function insertUpload(service: Service, { accountId }: Person): Promise<string> {
  const statement = `insert into uploads (account_id, object_key, content_type, width, height, size, sha256)
                     values ($1, gen_random_uuid()::text, 'image/jpeg', 1, 1, 1, repeat('0', 64)) returning id`
  return insertReturningId(service, statement, [accountId])
}

/** Insert an AI session with one row in every table that belongs to it. */
export async function insertFullAiSession(service: Service, owner: Person) {
  const session_id = await insertAiSession(service, owner, 'guided')
  const sessionKey = [owner.accountId, session_id]
  const insert = (statement: string, ...more: unknown[]) =>
    insertReturningId(service, statement, [...sessionKey, ...more])
  const branch_id = await insert(
    `insert into ai_branches (account_id, session_id, name, created_by) values ($1, $2, 'The cable', $3) returning id`,
    owner.id,
  )
  const message = await insert(
    `insert into ai_messages (account_id, session_id, branch_id, role, content, author_id)
     select account_id, id, active_branch_id, 'user', 'It is offline.', user_id from ai_sessions where account_id = $1 and id = $2 returning id`,
  )
  await service.sql(
    `insert into ai_message_uploads (account_id, session_id, message_id, place, upload_id) values ($1, $2, $3, 0, $4)`,
    [...sessionKey, message, await insertUpload(service, owner)],
  )
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
    `insert into script_runs (account_id, ai_session_id, title, script, target, output, started_at, ended_at, run_by)
     values ($1, $2, 'Restart it', 'Restart-Service Spooler', 'PRN-1', 'Running', now(), now(), $3) returning id`,
    owner.id,
  )
  await insert(
    `insert into ai_feedback (account_id, session_id, subject, subject_id, user_id, helpful, correction, answer)
     values ($1, $2, 'fix', $4, $3, false, 'The queue was paused.', 'Restart the spooler') returning id`,
    owner.id,
    fix_id,
  )
  await insert(
    `insert into ai_handoffs (account_id, session_id, intent, created_by, closed_at) values ($1, $2, 'park', $3, now()) returning id`,
    owner.id,
  )
  return { session_id, branch_id, fix_id, output_id }
}

const createChatSession: Fixture = async (service, owner) => ({
  params: { session_id: await insertAiSession(service, owner) },
})
const createGuidedSession: Fixture = async (service, owner) => ({
  params: { session_id: await insertAiSession(service, owner, 'guided') },
})
const createFullSession: Fixture = async (service, owner) => ({
  params: { session_id: (await insertFullAiSession(service, owner)).session_id },
})

/** Build a fixture that inserts a full AI session and requests one of its rows. */
const buildPartFixture =
  (name: 'branch_id' | 'fix_id' | 'output_id'): Fixture =>
  async (service, owner) => {
    const ids = await insertFullAiSession(service, owner)
    return { params: { session_id: ids.session_id, [name]: ids[name] } }
  }

export const aiFixtures = {
  'ai.turns.createSession': async () => ({
    body: {
      session_type: 'chat',
      problem_summary: 'Reception cannot print.',
      psa_ticket_id: '4711',
      environment_tags: ['windows 11'],
    },
  }),
  'ai.turns.sendMessage': async (service, owner) => ({
    ...(await createChatSession(service, owner)),
    body: { message: 'It shows “offline”.' },
  }),
  'ai.turns.listMessages': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.turns.respondToStep': async (service, owner) => ({
    ...(await createGuidedSession(service, owner)),
    body: {},
  }),
  'ai.sessions.list': async (service, owner) => {
    await createFullSession(service, owner)
    return {
      query: { skip: '0', limit: '20', session_type: 'guided', psa_ticket_id: '4711', status: 'active' },
    }
  },
  'ai.sessions.get': createFullSession,
  'ai.sessions.delete': createFullSession,
  'ai.sessions.resolve': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: {
      outcome: 'resolved',
      notes: 'A new driver.',
      resolution: 'We replaced the driver.',
      follow_up: 'Order a roller.',
      accept_proposals: true,
    },
  }),
  'ai.sessions.previewResolution': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { outcome: 'resolved', resolution: 'We replaced the driver.', accept_proposals: true },
  }),
  'ai.sessions.abandon': createFullSession,

  'ai.triage.update': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { client_name: 'Contoso Dental', asset_name: null, evidence_items: ['It shows “offline”.'] },
  }),
  'ai.triage.putTaskLane': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: {
      questions: [{ id: 'q1', text: 'Since when?' }],
      actions: [{ id: 'a1', text: 'Ping it', done: true }],
      responses: [],
    },
  }),
  'ai.triage.listBranches': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.triage.createBranch': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { name: 'What if it is the cable?' },
  }),
  'ai.triage.activateBranch': buildPartFixture('branch_id'),
  'ai.triage.listFacts': createFullSession,
  'ai.triage.putFact': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { key: 'printer', value: 'PRN-2' },
  }),

  'ai.fixes.list': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.fixes.apply': buildPartFixture('fix_id'),
  'ai.fixes.clearProposal': buildPartFixture('fix_id'),
  'ai.fixes.recordOutcome': async (service, owner) => ({
    ...(await buildPartFixture('fix_id')(service, owner)),
    body: { outcome: 'applied_partial', notes: 'In black only.' },
  }),
  'ai.fixes.updateScript': async (service, owner) => ({
    ...(await buildPartFixture('fix_id')(service, owner)),
    body: {
      script: 'Restart-Service -Name {{ service }}',
      parameters: [{ name: 'service', label: 'Service', type: 'string' }],
    },
  }),
  'ai.fixes.decideScript': async (service, owner) => ({
    ...(await buildPartFixture('fix_id')(service, owner)),
    body: { decision: 'draft_template' },
  }),

  'ai.feedback.list': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.feedback.set': async (service, owner) => {
    const { session_id, fix_id } = await insertFullAiSession(service, owner)
    return {
      params: { session_id },
      body: { subject: 'fix', subject_id: fix_id, helpful: false, correction: 'The queue was paused.' },
    }
  },

  'ai.handover.get': async (service, owner) => {
    await createFullSession(service, owner)
    return { query: owner.teamId ? { team_id: owner.teamId } : undefined }
  },
  'ai.scriptRuns.list': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.scriptRuns.create': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: scriptRunBody,
  }),

  'ai.outputs.createStatusUpdate': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { audience: 'client_update', length: 'detailed' },
  }),
  'ai.records.get': createFullSession,
  'ai.outputs.list': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'ai.outputs.create': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { kind: 'kb_article' },
  }),
  'ai.outputs.update': async (service, owner) => ({
    ...(await buildPartFixture('output_id')(service, owner)),
    body: { content: 'Done, and seen to work.' },
  }),
  'ai.outputs.push': async (service, owner) => {
    await connectAccount(service, owner)
    return { ...(await buildPartFixture('output_id')(service, owner)), body: { notify: false } }
  },
  'ai.outputs.previewPush': async (service, owner) => {
    await connectAccount(service, owner)
    return buildPartFixture('output_id')(service, owner)
  },
  'ai.outputs.retryPush': async (service, owner) => {
    await connectAccount(service, owner)
    const sample = await createFullSession(service, owner)
    await service.sql(
      `with s as (update ai_sessions set status = 'resolved', outcome = 'resolved', resolved_at = now() where id = $1 returning id)
       update ai_fixes x set status = 'applied_success', applied_at = now(), verified_at = now(), ai_outcome_proposal = null from s where x.session_id = s.id`,
      [sample.params?.session_id],
    )
    return sample
  },
} satisfies Record<string, Fixture>
