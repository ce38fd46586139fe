import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { createApprovalTokens } from '#vendors/auth/approval-tokens.ts'
import { sha256Hex } from '#vendors/auth/hash.ts'
import { type Fixture, insertReturningId } from './fixture-rows.ts'
import { insertColleague } from './fixtures-platform.ts'
import { insertSession } from './fixtures-sessions.ts'

/** Insert a request of a user. The owner may decide it, unless it is their own. */
export async function insertApproval(
  service: Service,
  owner: Person,
  requesterId: string,
): Promise<{ session_id: string; approval_id: string }> {
  const session_id = await insertSession(service, owner)
  const approval_id = await insertReturningId(
    service,
    `insert into approvals (account_id, session_id, kind, step_id, seq, digest, title, subject, approver_roles, approver_ids, runner_id,
                            requested_by, valid_minutes, expires_at)
     values ($1, $2, 'step', 'ping', 0, repeat('x', 43), 'Ping', '', '{engineer}', '{}', $3, $3, 60, app.now() + interval '1 hour') returning id`,
    [owner.accountId, session_id, requesterId],
  )
  return { session_id, approval_id }
}

const createApproval = async (service: Service, owner: Person) => ({
  params: await insertApproval(service, owner, await insertColleague(service, owner)),
})

/** Insert a session at a step that any engineer may approve, and a colleague who is one. */
const createGatedSession: Fixture = async (service, owner) => {
  const session_id = await insertSession(service, owner)
  await insertColleague(service, owner)
  await service.sql(
    `update tree_versions v set tree_structure = v.tree_structure || '{"approval": {"roles": ["engineer"]}}'
       from sessions s where s.id = $1 and v.tree_id = s.tree_id`,
    [session_id],
  )
  return { params: { session_id }, body: { comment: 'The client agreed by phone.' } }
}

/** Sign the link of a request for the owner. */
const createLink: Fixture = async (service, owner) => {
  const { approval_id: approvalId } = await insertApproval(
    service,
    owner,
    await insertColleague(service, owner),
  )
  const link = {
    approvalId,
    accountId: owner.accountId,
    userId: owner.id,
    addressHash: await sha256Hex(owner.email),
    digest: 'x'.repeat(43),
    decision: 'approved' as const,
  }
  const tokens = createApprovalTokens(parseConfig(service.settings))
  return { params: { token: await tokens.sign(link, new Date()) } }
}

export const approvalFixtures = {
  'sessions.approvalLinks.showPage': createLink,
  'sessions.approvalLinks.decide': createLink,
  'sessions.approvals.listWaiting': async (service, owner) => {
    await createApproval(service, owner)
    return { query: { skip: '0', limit: '20' } }
  },
  'sessions.approvals.list': async (service, owner) => ({
    params: { session_id: (await createApproval(service, owner)).params.session_id },
    query: { skip: '0', limit: '20' },
  }),
  'sessions.approvals.get': createApproval,
  'sessions.approvals.request': createGatedSession,
  'sessions.approvals.approve': async (service, owner) => ({
    ...(await createApproval(service, owner)),
    body: { comment: 'After 18:00' },
  }),
  'sessions.approvals.reject': async (service, owner) => ({
    ...(await createApproval(service, owner)),
    body: { comment: 'Not now' },
  }),
  'sessions.approvals.withdraw': async (service, owner) => ({
    params: await insertApproval(service, owner, owner.id),
  }),
} satisfies Record<string, Fixture>
