import type { Service } from '#test/support/app.ts'
import { patchForm, patchProcedure } from '#test/support/flows.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertReturningId, scriptRunBody } from './fixture-rows.ts'
import { insertStep, insertTree } from './fixtures-flows.ts'
import { insertMember } from './fixtures-members.ts'

/** Insert a session of the owner. It is at the flow's first step, unless `state` is `prepared`. */
export async function insertSession(
  service: Service,
  owner: Person,
  state = 'in_progress',
  batchId: string | null = null,
): Promise<string> {
  const [stepId, startedAt] = state === 'prepared' ? ['null', 'null'] : [`'ping'`, 'now()']
  return insertReturningId(
    service,
    `insert into sessions (account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name,
                           variables, batch_id, target_label, current_step_id, remaining, started_at)
     values ($1, $2, $3, $1, $4, 1, 'Printer offline', $5, 'T-1', 'Contoso', '{"printer_ip": "10.0.8.21"}', $6, 'PRN-1',
             ${stepId}, 3, ${startedAt})
     returning id`,
    [owner.accountId, owner.teamId || null, owner.id, await insertTree(service, owner), state, batchId],
  )
}

/** Insert a session with one row in every table that belongs to it. */
export async function insertFullSession(
  service: Service,
  owner: Person,
): Promise<{ session_id: string; item_id: string }> {
  const session_id = await insertSession(service, owner)
  const sessionKey = [owner.accountId, session_id]
  await service.sql(
    `update sessions set current_step_id = 'cable', answered = 1, remaining = 1 where account_id = $1 and id = $2`,
    sessionKey,
  )
  await service.sql(
    `insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, started_at, duration_seconds)
     values ((select user_id from sessions where id = $2), $1, $2, 0, 'ping', 'no', now(), 4)`,
    sessionKey,
  )
  await service.sql(
    `insert into session_evidence (account_id, session_id, seq, place, key, type, label, value)
     values ($1, $2, 0, 0, 'serial', 'text', 'Serial number', '"X-4711"')`,
    sessionKey,
  )
  await service.sql(
    `insert into session_timers (account_id, session_id, step_id, seq, due_at) values ($1, $2, 'cable', 1, app.now() + interval '1 year')`,
    sessionKey,
  )
  await service.sql(
    `insert into session_fallbacks (decided_by, account_id, session_id, seq, step_id, fallback_step_id, outcome) values ((select user_id from sessions where id = $2), $1, $2, 0, 'ping', 'x', 'done')`,
    sessionKey,
  )
  await service.sql(
    `insert into session_custom_steps (created_by, account_id, session_id, source, after_step_id, title) values ((select user_id from sessions where id = $2), $1, $2, 'ad-hoc', 'ping', 'Asked')`,
    sessionKey,
  )
  await service.sql(
    `insert into session_ratings (account_id, session_id, session_user_id, score, rated_by) values ($1, $2, $3, 4, $3)`,
    [...sessionKey, owner.id],
  )
  await service.sql(
    `insert into session_step_feedback (account_id, session_id, step_id, user_id, helpful) values ($1, $2, 'ping', $3, true)`,
    [...sessionKey, owner.id],
  )
  await service.sql(
    `insert into script_runs (account_id, session_id, step_id, title, script, target, output, started_at, ended_at, run_by)
     values ($1, $2, 'ping', 'Restart it', 'Restart-Service Spooler', 'PRN-1', 'Running', now(), now(), $3)`,
    [...sessionKey, owner.id],
  )
  const item = `insert into session_supporting_data (account_id, session_id, kind, title, content, created_by)
                values ($1, $2, 'text', 'Ping', '0 received', $3) returning id`
  return { session_id, item_id: await insertReturningId(service, item, [...sessionKey, owner.id]) }
}

const createOpenSession: Fixture = async (service, owner) => ({
  params: { session_id: await insertSession(service, owner) },
})
const createPreparedSession: Fixture = async (service, owner) => ({
  params: { session_id: await insertSession(service, owner, 'prepared') },
})
const createFullSession: Fixture = async (service, owner) => ({
  params: { session_id: (await insertFullSession(service, owner)).session_id },
})
/** Insert a session at a step that runs another flow. With `isStarted` it waits for its sub-flow. */
async function insertSessionWithSubflow(
  service: Service,
  owner: Person,
  isStarted: boolean,
): Promise<{ session_id: string }> {
  const [session_id, child, tree_id] = [
    await insertSession(service, owner),
    await insertSession(service, owner),
    await insertTree(service, owner),
  ]
  await service.sql(
    `update tree_versions v set tree_structure = v.tree_structure || jsonb_build_object('subflow', jsonb_build_object('tree_id', $2::text))
       from sessions s where s.id = $1 and v.account_id = s.tree_account_id and v.tree_id = s.tree_id`,
    [session_id, tree_id],
  )
  if (isStarted) {
    await service.sql(`update sessions set parent_session_id = $1, parent_step_id = 'ping' where id = $2`, [
      session_id,
      child,
    ])
    await service.sql(`update sessions set subflow_session_id = $2 where id = $1`, [session_id, child])
  }
  return { session_id }
}

const createSupportingData: Fixture = async (service, owner) => ({
  params: { ...(await insertFullSession(service, owner)) },
})
const createSessionAtStep: Fixture = async (service, owner) => ({
  params: { ...(await createOpenSession(service, owner)).params, step_id: 'ping' },
})

const sessionFields = {
  ticket_number: 'T-48213',
  client_name: 'Contoso Dental',
  variables: { printer_ip: '10.0.8.21', floor: 2 },
}

export function insertTargetList(service: Service, { accountId, teamId, id }: Person): Promise<string> {
  const statement = `insert into target_lists (account_id, team_id, created_by, name, targets) values ($1, $2, $3, 'Servers', $4) returning id`
  return insertReturningId(service, statement, [
    accountId,
    teamId || null,
    id,
    JSON.stringify([{ label: 'SRV-DC-01', variables: { server: 'srv-dc-01' } }]),
  ])
}
/** Insert a published maintenance flow of the owner's team. */
export async function insertMaintenanceTree(service: Service, owner: Person): Promise<string> {
  const tree_id = await insertTree(service, owner)
  await service.sql(`update trees set tree_type = 'maintenance', team_id = $2 where id = $1`, [
    tree_id,
    owner.teamId,
  ])
  await service.sql(
    `update tree_versions set tree_type = 'maintenance', tree_structure = $2, intake_form = $3 where tree_id = $1`,
    [tree_id, JSON.stringify(patchProcedure()), JSON.stringify(patchForm)],
  )
  return tree_id
}

const createTargetList: Fixture = async (service, owner) => ({
  params: { list_id: await insertTargetList(service, owner) },
})

export const sessionFixtures = {
  'maintenance.targetLists.list': async (service, owner) => {
    await insertTargetList(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'maintenance.targetLists.create': async () => ({
    body: { name: 'Servers', targets: [{ label: 'SRV-DC-01' }] },
  }),
  'maintenance.targetLists.get': createTargetList,
  'maintenance.targetLists.update': async (service, owner) => ({
    ...(await createTargetList(service, owner)),
    body: { name: 'All servers', targets: [{ label: 'SRV-FS-01' }] },
  }),
  'maintenance.targetLists.delete': createTargetList,

  'analytics.getTeam': async (service, owner) => {
    await insertFullSession(service, owner)
    return { query: { period: '30d' } }
  },
  'analytics.getMine': async (service, owner) => {
    await insertFullSession(service, owner)
    return { query: { period: '90d' } }
  },
  'analytics.listFlows': async (service, owner) => {
    await insertFullSession(service, owner)
    return { query: { period: '7d', skip: '0', limit: '20' } }
  },
  'analytics.getFlow': async (service, owner) => ({
    params: { tree_id: await insertTree(service, owner) },
    query: { period: '30d' },
  }),

  'sessions.list': async (service, owner) => {
    await insertSession(service, owner)
    return {
      query: {
        skip: '0',
        limit: '20',
        client_name: 'conto',
        tree_name: 'printer',
        started_after: '2020-01-01T00:00:00Z',
      },
    }
  },
  'sessions.start': async (service, owner) => ({
    body: { tree_id: await insertTree(service, owner), ...sessionFields },
  }),
  'sessions.prepare': async (service, owner) => ({
    body: { tree_id: await insertTree(service, owner), ...sessionFields, target_label: 'PRN-2F-03' },
  }),
  'sessions.get': createFullSession,
  'sessions.update': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { notes: 'Calls back at noon', client_name: null },
  }),
  'sessions.delete': createFullSession,
  'sessions.startPrepared': async (service, owner) => ({
    ...(await createPreparedSession(service, owner)),
    body: { variables: { printer_ip: '10.0.8.22' } },
  }),
  'sessions.reassign': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { user_id: await insertMember(service, owner) },
  }),
  'sessions.take': createPreparedSession,
  'sessions.updateVariables': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { printer_ip: '10.0.8.23', floor: 3 },
  }),

  'sessions.batches.create': async (service, owner) => {
    const tree_id = await insertMaintenanceTree(service, owner)
    return {
      body: {
        tree_id,
        targets: [{ label: 'SRV-1', variables: { server: 'srv-1' } }],
        client_name: 'Contoso',
        ticket_number: 'T-1',
      },
    }
  },
  'sessions.batches.getProgress': async (service, owner) => {
    const batch_id = crypto.randomUUID()
    await insertSession(service, owner, 'prepared', batch_id)
    return { params: { batch_id } }
  },

  'sessions.steps.recordDecision': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: {
      step_id: 'ping',
      option_id: 'yes',
      note: 'Answers',
      started_at: '2026-11-21T09:30:00+01:00',
      duration_seconds: 40,
    },
  }),
  'sessions.steps.answer': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: {
      step_id: 'ping',
      option_id: 'yes',
      note: 'Answers',
      started_at: '2026-11-21T09:30:00+01:00',
      duration_seconds: 40,
    },
  }),
  'sessions.steps.undoDecision': createFullSession,
  'sessions.steps.addCustomStep': async (service, owner) => ({
    params: { session_id: await insertSession(service, owner) },
    body: {
      source: 'step-library',
      library_step_id: await insertStep(service, owner),
      after_step_id: 'ping',
      title: 'Restarted the spooler',
      description: 'Twice',
    },
  }),
  'sessions.steps.complete': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { outcome: 'resolved', notes: 'The cable was loose', next_steps: 'None' },
  }),
  'sessions.steps.saveAsTree': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { name: 'Printer offline after a move', description: 'x' },
  }),

  'sessions.dryRuns.run': async (service, owner) => ({
    params: { tree_id: await insertTree(service, owner) },
    body: { variables: { printer_ip: '10.0.8.21' }, answers: [{ step_id: 'ping', option_id: 'no' }] },
  }),
  'sessions.subflows.list': async (service, owner) => ({
    params: await insertSessionWithSubflow(service, owner, true),
    query: { skip: '0', limit: '20' },
  }),
  'sessions.subflows.start': async (service, owner) => ({
    params: await insertSessionWithSubflow(service, owner, false),
    body: { variables: { printer_ip: '10.0.8.21' } },
  }),

  'sessions.exports.export': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { format: 'html', max_step_index: '0', mask: 'true' },
  }),
  'sessions.records.get': createFullSession,
  'sessions.scriptRuns.list': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'sessions.scriptRuns.create': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    body: { ...scriptRunBody, step_id: 'ping' },
  }),
  'sessions.notes.listSupportingData': async (service, owner) => ({
    ...(await createFullSession(service, owner)),
    query: { skip: '0', limit: '20' },
  }),
  'sessions.notes.addSupportingData': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { kind: 'text', title: 'Output of ping', content: '0 received', step_id: 'ping' },
  }),
  'sessions.notes.updateSupportingData': async (service, owner) => ({
    ...(await createSupportingData(service, owner)),
    body: { title: 'Output of ping', content: '4 received', step_id: null },
  }),
  'sessions.notes.deleteSupportingData': createSupportingData,
  'sessions.notes.rateSession': async (service, owner) => ({
    ...(await createOpenSession(service, owner)),
    body: { score: 5, comment: 'Fast and friendly' },
  }),
  'sessions.notes.getRating': createFullSession,
  'sessions.notes.rateStep': async (service, owner) => ({
    ...(await createSessionAtStep(service, owner)),
    body: { helpful: false, comment: 'Too long' },
  }),
} satisfies Record<string, Fixture>
