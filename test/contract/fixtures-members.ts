import { randomBytes } from 'node:crypto'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { type Fixture, insertOneTimeToken, insertReturningId, sha256 } from './fixture-rows.ts'

const createEmail = () => `${randomBytes(8).toString('hex')}@people.example`

export function insertMember(service: Service, { accountId, teamId }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into users (account_id, email, full_name, role, team_id, team_role) values ($1, $2, 'Vik Olsen', 'engineer', $3, 'member') returning id`,
    [accountId, createEmail(), teamId || null],
  )
}

export function insertTeam(service: Service, { accountId }: Person): Promise<string> {
  return insertReturningId(
    service,
    `insert into teams (account_id, name) values ($1, 'North ' || gen_random_uuid()) returning id`,
    [accountId],
  )
}

/** Subscribe a person to the weekly report of a new team. Return the team's id. */
export async function insertReportSubscription(service: Service, owner: Person): Promise<string> {
  const teamId = await insertTeam(service, owner)
  await service.sql('insert into report_subscriptions (account_id, team_id, user_id) values ($1, $2, $3)', [
    owner.accountId,
    teamId,
    owner.id,
  ])
  return teamId
}

/** Insert an invite by `inviter` if that is an admin, otherwise one without an inviter. */
async function insertInvite(
  service: Service,
  { accountId, id: inviter }: Person,
): Promise<{ id: string; code: string }> {
  const code = randomBytes(32).toString('base64url')
  const id = await insertReturningId(
    service,
    `with i as (insert into invites (account_id, email, role, invited_by) values ($1, $2, 'viewer', (select id from users where id = $3 and role = 'admin')) returning id),
          c as (insert into invite_codes (hash, invite_id) select $4, id from i)
     select id from i`,
    [accountId, createEmail(), inviter, sha256(code)],
  )
  return { id, code }
}

/** Insert an API key of `creator`, whose text nobody knows. */
function insertKey(service: Service, { accountId, id: creator }: Person): Promise<string> {
  return insertReturningId(
    service,
    `with u as (
       insert into users (account_id, email, full_name, role, is_active, is_service) values ($1, $2, 'Ticket sync', 'engineer', false, true) returning id)
     insert into api_keys (id, account_id, hash, last_characters, scopes, created_by)
     select u.id, $1, $3, 'abcd', '{flows:read}', $4 from u returning id`,
    [accountId, createEmail(), randomBytes(32), creator],
  )
}

const insertEmailChange = (service: Service, { id }: Person) =>
  insertReturningId(
    service,
    `insert into email_changes (user_id, new_email) values ($1, $2)
     on conflict (user_id) do update set id = uuidv7(), new_email = excluded.new_email returning id`,
    [id, createEmail()],
  )
const createInvite: Fixture = async (service, owner) => ({
  params: { invite_id: (await insertInvite(service, owner)).id },
})
const createEmptySample: Fixture = async () => ({})
const createPageSample: Fixture = async () => ({ query: { skip: '0', limit: '20' } })

export const memberFixtures = {
  'identity.credentials.requestPasswordReset': async (_, owner) => ({ body: { email: owner.email } }),
  'identity.credentials.resetPassword': async (service, owner) => {
    const token = await insertOneTimeToken(service, owner, 'reset_password')
    return { body: { token, new_password: 'copper-lantern-27' } }
  },
  'identity.emailChanges.create': async () => ({ body: { new_email: createEmail() } }),
  'identity.emailChanges.get': async (service, owner) => {
    await insertEmailChange(service, owner)
    return {}
  },
  'identity.emailChanges.cancel': async (service, owner) => {
    await insertEmailChange(service, owner)
    return {}
  },
  'identity.emailChanges.confirm': async (service, owner) => {
    const changeId = await insertEmailChange(service, owner)
    return { body: { token: await insertOneTimeToken(service, owner, 'change_email', changeId) } }
  },
  'identity.signIns.list': createEmptySample,
  'identity.signIns.revokeAll': createEmptySample,
  'identity.streamTickets.create': createEmptySample,
  'identity.signIns.revoke': async (service, { accountId, id }) => {
    const statement = `insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, now() + interval '1 day') returning id`
    return { params: { family_id: await insertReturningId(service, statement, [accountId, id]) } }
  },

  'accounts.get': createEmptySample,
  'accounts.getUsage': createEmptySample,
  'accounts.update': async () => ({
    body: { name: 'Northwind IT', timezone: 'Europe/Berlin', settings: { greeting: 'hello' } },
  }),
  'accounts.delete': async (service, { accountId }) => {
    const [account] = await service.sql<{ name: string }>('select name from accounts where id = $1', [
      accountId,
    ])
    return { body: { name: account?.name } }
  },
  'accounts.restore': async (service, { accountId }) => {
    await service.sql(`update accounts set deletes_at = now() + interval '14 days' where id = $1`, [
      accountId,
    ])
    return {}
  },
  'accounts.getPreferences': createEmptySample,
  'accounts.updatePreferences': async () => ({ body: { default_export_format: 'pdf', theme: 'dark' } }),
  'accounts.listMembers': createPageSample,
  'accounts.listWaitingWork': async (service, owner) => ({
    params: { user_id: await insertMember(service, owner) },
  }),
  'accounts.updateMember': async (service, owner) => ({
    params: { user_id: await insertMember(service, owner) },
    body: { role: 'viewer', team_role: 'admin' },
  }),
  'accounts.removeMember': async (service, owner) => ({
    params: { user_id: await insertMember(service, owner) },
  }),
  'accounts.resetMemberMfa': async (service, owner) => {
    const id = await insertMember(service, owner)
    await service.sql(`insert into totp_factors (user_id, secret, confirmed_at) values ($1, '', now())`, [id])
    return { params: { user_id: id } }
  },
  'accounts.endEmailProblem': async (service, owner) => {
    const id = await insertMember(service, owner)
    await service.sql(
      `select app.record_mail_problem(email, 'bounced', app.now()) from users where id = $1`,
      [id],
    )
    return { params: { user_id: id } }
  },
  'accounts.listAuditLog': createPageSample,
  'accounts.exportAuditLog': async () => ({ query: { from_sequence: '1' } }),

  'accounts.invites.list': async (service, owner) => {
    await insertInvite(service, owner)
    return createPageSample(service, owner)
  },
  'accounts.invites.create': async () => ({ body: { email: createEmail(), role: 'engineer' } }),
  'accounts.invites.revoke': createInvite,
  'accounts.invites.resend': createInvite,
  'accounts.invites.lookUp': async (service, owner) => ({
    params: { code: (await insertInvite(service, owner)).code },
  }),

  'accounts.apiKeys.list': async (service, owner) => {
    await insertKey(service, owner)
    return createPageSample(service, owner)
  },
  'accounts.apiKeys.create': async () => ({
    body: { name: 'Ticket sync', role: 'engineer', scopes: ['flows:read'] },
  }),
  'accounts.apiKeys.revoke': async (service, owner) => ({
    params: { key_id: await insertKey(service, owner) },
  }),

  'accounts.teams.list': createPageSample,
  'accounts.teams.create': async () => ({ body: { name: 'North' } }),
  'accounts.teams.rename': async (service, owner) => ({
    params: { team_id: await insertTeam(service, owner) },
    body: { name: 'South' },
  }),
  'analytics.reports.getWeekly': async (service, owner) => ({
    query: { team_id: await insertTeam(service, owner), week: '2026-W47' },
  }),
  'analytics.reports.listSubscriptions': async (service, owner) => {
    await insertReportSubscription(service, owner)
    return {}
  },
  'analytics.reports.subscribe': async (service, owner) => ({
    params: { team_id: await insertTeam(service, owner) },
  }),
  'analytics.reports.unsubscribe': async (service, owner) => ({
    params: { team_id: await insertReportSubscription(service, owner) },
  }),
  'accounts.teams.delete': async (service, owner) => ({
    params: { team_id: await insertTeam(service, owner) },
  }),
  'accounts.teams.assignMember': async (service, owner) => ({
    params: { team_id: await insertTeam(service, owner), user_id: await insertMember(service, owner) },
    body: { team_role: 'admin' },
  }),
} satisfies Record<string, Fixture>
