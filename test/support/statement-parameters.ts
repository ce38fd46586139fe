import { sql } from 'kysely'
import { exportedTables } from '#db/account-data.ts'
import { restoredKinds } from '#db/restored-columns.ts'
import { expiries } from '#db/retention.ts'
import { caseTables } from '#functions/sessions/records/queries.ts'
import type { Event } from '#rules/events/events.ts'

const id = '01934b6e-7d1a-7c3e-9f20-5b8f0a6c1d10'
const page = { skip: 0, limit: 50 }
const event: Event = {
  key: 'session.escalated',
  actorId: id,
  teamId: null,
  sessionId: id,
  engineerName: 'Robin',
  problemSummary: 'VPN',
  psaTicketId: null,
  targetUserId: null,
}
const escalation = {
  session: { id, updated_at: '2026-01-01T00:00:00.000Z', state_version: 1, psa_ticket_id: null },
  handoff: { id, documentation: '' },
  escalationPackage: {},
  liveEventData: {},
  event,
}
const position = { id, current_step_id: 'ping', answered: 0, remaining: 1 }
const decision = { step_id: 'ping', option_id: 'yes', evidence: [] }
const period = { created_after: '2026-01-01T00:00:00.000Z', created_before: '2026-02-01T00:00:00.000Z' }

const signInProofs = [
  { kind: 'password', password: { hash: '', deviceId: null } },
  { kind: 'password', password: { hash: '', deviceId: id } },
  { kind: 'identity' },
  { kind: 'passkey' },
]

/**
 * Parameters of the statements whose SQL text depends on them, by file and export. Each list of parameters
 * yields another text.
 */
export const statementParameters: Record<string, readonly (readonly unknown[])[]> = {
  'functions/sessions/steps/queries.ts#insertDecision': [
    [position, position, decision],
    [position, position, decision, { subflow: { id, outputs: {} } }],
    [position, position, decision, { approval: { digest: '', session: position } }],
  ],
  'functions/oncall/reminders/queries.ts#emitReminder': [
    [
      {
        ...{
          ...event,
          key: 'escalation.reminded',
          handoffId: id,
          round: 1,
          rounds: 1,
          step: 1,
          userIds: [id],
        },
        ...{ toldIds: [], toldNames: [], waitingSeconds: 0, details: {} },
      },
      [id],
      id,
    ],
  ],
  'lib/db/rows/on-call-rosters.ts#selectRosters': [
    [{}],
    [{ sessionId: id }],
    [{ ids: [id], from: period.created_after, to: period.created_before }],
  ],
  'functions/accounts/export-files/queries.ts#selectRecords': exportedTables.flatMap((table) => [
    [table, null, 1000],
    [table, Object.keys(table.key), 1000],
  ]),
  'functions/sessions/records/queries.ts#selectRows': Object.keys(caseTables).map((kind) => [kind, id, 1000]),
  'functions/accounts/import-slices/queries.ts#insertRows': Object.keys(restoredKinds)
    .filter((kind) => kind !== 'account')
    .map((kind) => [id, kind, { depth: 0, place: 1 }]),
  'functions/accounts/import-slices/queries.ts#failImport': [
    [{ id, attempts: 1 }, { ok: false, status: null, error: 'e' }, null, {}],
    [{ id, attempts: 1 }, { ok: false, status: null, error: 'e' }, 30, null],
  ],
  'functions/accounts/export-slices/queries.ts#completeExport': [
    [{ id, attempts: 1 }, { ok: true, status: null }, null, { bytes: 1, directory_bytes: 1 }],
    [{ id, attempts: 1 }, { ok: false, status: null, error: 'e' }, 30, null],
  ],
  'functions/ai/fixes/queries.ts#updateFixIf': [
    [{ session_id: id, fix_id: id }, sql`status = 'dismissed'`, sql`x.applied_at is null`],
  ],
  'functions/ai/handoffs/queries.ts#escalateUnchanged': [[escalation]],
  'functions/ai/handoffs/queries.ts#insertOpenHandoff': [[id, escalation.handoff]],
  'functions/ai/handoffs/queries.ts#insertEscalationPush': [[escalation]],
  'functions/ai/handoffs/queries.ts#insertHandoffCreated': [[escalation]],
  'functions/ai/sessions/queries.ts#insertOwnAiSession': [
    [{ id, session_type: 'chat', title: 'VPN', problem_summary: null, tree_id: null, environment_tags: [] }],
  ],
  'functions/ai/sessions/queries.ts#selectAiSessions': [
    [page],
    [{ status: 'active', session_type: 'chat', ...page }],
  ],
  'functions/ai/turns/queries.ts#answerStep': [[id, id, { response: 'Yes', workId: id }]],
  'functions/ai/turns/queries.ts#insertUserMessage': [[id, { id, content: 'Hello', uploadIds: [] }]],
  'functions/ai/triage/queries.ts#insertAndActivateBranch': [
    [{ session_id: id, branch_id: id, name: 'B', fromMessageId: undefined }],
    [{ session_id: id, branch_id: id, name: 'B', fromMessageId: id }],
  ],
  'functions/feedback/queries.ts#selectBetaFeedback': [
    ['all_accounts', page],
    [
      'own_account',
      {
        account_id: id,
        user_id: id,
        ai_session_id: id,
        reaction: 'positive',
        category: 'bug',
        ...period,
        ...page,
      },
    ],
  ],
  'functions/flows/gallery/queries.ts#selectItemRows': [
    [{ page: 1, page_size: 20 }, sql``, sql`i.id`],
    [
      { type: 'script', category: 'Network', page: 2, page_size: 20 },
      sql`and i.is_featured`,
      sql`i.usage_count desc, i.id`,
    ],
  ],
  'functions/flows/trees/queries.ts#insertNextVersion': [
    [
      { id, version: 1 },
      { tags: [], library: [], category: { name: 'Network' } },
    ],
    [
      { id, version: 1 },
      { tags: [], library: [], category: { id: null } },
    ],
  ],
  'functions/flows/trees/queries.ts#insertTreeWithVersion': [
    [id, { tags: [], library: [] }, {}],
    [
      id,
      { tags: [], library: [] },
      { owner: { user_id: id, team_id: null }, parent: { account_id: id, id, reason: null } },
    ],
  ],
  'functions/identity/sign-ins/queries.ts#insertSignIn': signInProofs.map((proof) => [
    id,
    proof,
    { refreshHash: '', userAgent: '', ip: '' },
  ]),
  'functions/identity/sign-ins/queries.ts#insertChallenge': signInProofs
    .slice(0, 3)
    .map((proof) => ['', id, proof]),
  'functions/jobs/queries.ts#deleteExpired': expiries.map((expiry) => [expiry, 10]),
  'functions/maintenance/schedules/queries.ts#updateIfCurrent': [
    [{ id, version: 1 }, {}, null],
    [{ id, version: 1 }, {}, { next_run_at: null, missed: [], reason: '' }],
  ],
  'functions/psa/push-attempts/queries.ts#completeAttempt': [
    [{ id, attempts: 1, kind: 'note' }, { ok: true, status: 200 }, 'note', null],
    [{ id, attempts: 1, kind: 'ticket' }, { ok: true, status: 200 }, '4711', null],
    [{ id, attempts: 1, kind: 'note' }, { ok: false, status: 500, error: 'e' }, null, 30],
  ],
  'functions/psa/pushes/queries.ts#selectPushes': [[page], [{ state: 'failed', source_id: id, ...page }]],
  'lib/work/events.ts#emitEvent': [[event]],
}
