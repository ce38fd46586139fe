import { randomBytes } from 'node:crypto'
import type { Service } from '../support/app.ts'
import type { Person } from '../support/people.ts'
import { type Fixture, idOf, insertOneTimeToken, sha256 } from './fixture-rows.ts'

const someone = () => `${randomBytes(8).toString('hex')}@people.example`

function insertMember(service: Service, { accountId, teamId }: Person): Promise<string> {
  return idOf(
    service,
    `insert into users (account_id, email, full_name, role, team_id, team_role) values ($1, $2, 'Vik Olsen', 'engineer', $3, 'member') returning id`,
    [accountId, someone(), teamId || null],
  )
}

function insertTeam(service: Service, { accountId }: Person): Promise<string> {
  return idOf(service, `insert into teams (account_id, name) values ($1, 'North') returning id`, [accountId])
}

async function insertInvite(service: Service, { accountId, id: inviter }: Person): Promise<{ id: string; code: string }> {
  const code = randomBytes(32).toString('base64url')
  const id = await idOf(
    service,
    `with i as (insert into invites (account_id, email, role, invited_by) values ($1, $2, 'viewer', $3) returning id),
          c as (insert into invite_codes (hash, invite_id) select $4, id from i)
     select id from i`,
    [accountId, someone(), inviter, sha256(code)],
  )
  return { id, code }
}

const invite: Fixture = async (service, owner) => ({ params: { invite_id: (await insertInvite(service, owner)).id } })
const nothing: Fixture = async () => ({})
const page: Fixture = async () => ({ query: { skip: '0', limit: '20' } })

export const memberFixtures: Record<string, Fixture> = {
  'auth.forgotPassword': async (_, owner) => ({ body: { email: owner.email } }),
  'auth.resetPassword': async (service, owner) => {
    const token = await insertOneTimeToken(service, owner, 'reset_password')
    return { body: { token, new_password: 'copper-lantern-27' } }
  },
  'auth.listDevices': nothing,
  'auth.endDevice': async (service, { accountId, id }) => {
    const statement = `insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, now() + interval '1 day') returning id`
    return { params: { family_id: await idOf(service, statement, [accountId, id]) } }
  },

  'accounts.mine': nothing,
  'accounts.update': async () => ({ body: { name: 'Northwind IT', timezone: 'Europe/Berlin', settings: { greeting: 'hello' } } }),
  'accounts.preferences': nothing,
  'accounts.updatePreferences': async () => ({ body: { mask_exports: true, theme: 'dark' } }),
  'accounts.listMembers': page,
  'accounts.updateMember': async (service, owner) => ({
    params: { user_id: await insertMember(service, owner) },
    body: { role: 'viewer', team_role: 'admin' },
  }),
  'accounts.removeMember': async (service, owner) => ({ params: { user_id: await insertMember(service, owner) } }),
  'accounts.listAuditLog': page,

  'invites.list': async (service, owner) => {
    await insertInvite(service, owner)
    return page(service, owner)
  },
  'invites.create': async () => ({ body: { email: someone(), role: 'engineer' } }),
  'invites.revoke': invite,
  'invites.resend': invite,
  'invites.lookup': async (service, owner) => ({ params: { code: (await insertInvite(service, owner)).code } }),

  'teams.list': page,
  'teams.create': async () => ({ body: { name: 'North' } }),
  'teams.rename': async (service, owner) => ({ params: { team_id: await insertTeam(service, owner) }, body: { name: 'South' } }),
  'teams.remove': async (service, owner) => ({ params: { team_id: await insertTeam(service, owner) } }),
  'teams.putMember': async (service, owner) => ({
    params: { team_id: await insertTeam(service, owner), user_id: await insertMember(service, owner) },
    body: { team_role: 'admin' },
  }),
}
