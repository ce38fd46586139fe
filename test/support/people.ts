import { type Answer, request, type Service, signAccessToken } from './app.ts'

export interface Person {
  id: string
  accountId: string
  teamId: string
  signInId: string
  email: string
  fullName: string
  token: string
  /** A request of this person's to /api/v1. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

export interface AccountOf {
  id: string
  teamId: string
  admin: Person
  /** A colleague; `teamRole` admin makes a team admin of the account's team. */
  colleague(options?: {
    role?: 'viewer' | 'engineer' | 'admin'
    teamRole?: 'member' | 'admin'
    teamId?: string | null
    superAdmin?: boolean
  }): Promise<Person>
}

let count = 0

/** A fresh account without a limit of seats, with one team and its admin, signed in. Made by SQL, since what is tested is rarely how people arrive. */
export async function newAccount(service: Service): Promise<AccountOf> {
  const [row] = await service.sql<{ account_id: string; team_id: string }>(`
    with a as (insert into accounts (name, plan, subscription_status, trial_ends_at)
               values ('Test account', 'enterprise', 'trialing', now() + interval '14 days') returning id),
         t as (insert into teams (account_id, name) select id, 'Test team' from a returning id, account_id)
    select account_id, id as team_id from t`)
  const { account_id: id, team_id: teamId } = row as { account_id: string; team_id: string }
  const colleague: AccountOf['colleague'] = async ({ role = 'engineer', teamRole = 'member', superAdmin = false, ...rest } = {}) => {
    const team = rest.teamId === undefined ? teamId : rest.teamId
    return newPerson(service, { accountId: id, teamId: team, teamRole: team ? teamRole : null, role, superAdmin })
  }
  return { id, teamId, admin: await colleague({ role: 'admin', teamRole: 'admin' }), colleague }
}

interface NewPerson {
  accountId: string
  teamId: string | null
  teamRole: string | null
  role: string
  superAdmin: boolean
}

export async function newPerson(service: Service, { accountId, teamId, teamRole, role, superAdmin }: NewPerson): Promise<Person> {
  const email = `person-${process.pid}-${++count}-${crypto.randomUUID().slice(0, 8)}@people.example`
  const fullName = `Person ${count}`
  const [row] = await service.sql<{ user_id: string; sign_in_id: string }>(
    `with u as (insert into users (account_id, email, full_name, role, team_id, team_role, is_super_admin, email_verified_at)
                values ($1, $2, $3, $4, $5, $6, $7, now()) returning id, account_id),
          s as (insert into sign_ins (account_id, user_id, expires_at) select account_id, id, now() + interval '30 days' from u returning id)
     select u.id as user_id, s.id as sign_in_id from u, s`,
    [accountId, email, fullName, role, teamId, teamRole, superAdmin],
  )
  const { user_id: id, sign_in_id: signInId } = row as { user_id: string; sign_in_id: string }
  const token = await signAccessToken(service, { userId: id, accountId, signInId })
  const call: Person['call'] = (method, path, body, headers) =>
    request(service, method, path, { token, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) })
  return { id, accountId, teamId: teamId ?? '', signInId, email, fullName, token, call }
}
