import type { Client } from '#client/client.ts'
import { type ApiResponse, request, type Service, signAccessToken } from './app.ts'
import { createTestClient } from './test-client.ts'

export interface Person {
  id: string
  accountId: string
  teamId: string
  signInId: string
  email: string
  fullName: string
  token: string
  /** Send a request to /api/v1 with this person's token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  /** The typed client with this person's token. */
  readonly client: Client
}

export interface TestAccount {
  id: string
  teamId: string
  admin: Person
  /** Add a signed-in user, by default an engineer who is a member of the account's team. */
  addColleague(options?: {
    role?: 'viewer' | 'engineer' | 'admin'
    teamRole?: 'member' | 'admin'
    teamId?: string | null
    superAdmin?: boolean
  }): Promise<Person>
}

let personCount = 0

/**
 * Insert an account without a seat limit, with one team and a signed-in admin. Use SQL, because few tests are
 * about registration.
 */
export async function createAccount(service: Service): Promise<TestAccount> {
  const [row] = await service.sql<{ account_id: string; team_id: string }>(
    `with inserted_account as (
            insert into accounts (name, plan, subscription_status, trial_ends_at)
            values ($1, 'enterprise', 'trialing', now() + interval '14 days') returning id),
          inserted_team as (
            insert into teams (account_id, name) select id, $2 from inserted_account returning id, account_id)
     select account_id, id as team_id from inserted_team`,
    ['Test account', 'Test team'],
  )
  const { account_id: id, team_id: teamId } = row as { account_id: string; team_id: string }
  const addColleague: TestAccount['addColleague'] = async ({
    role = 'engineer',
    teamRole = 'member',
    superAdmin = false,
    ...rest
  } = {}) => {
    const team = rest.teamId === undefined ? teamId : rest.teamId
    return createPerson(service, {
      accountId: id,
      teamId: team,
      teamRole: team ? teamRole : null,
      role,
      superAdmin,
    })
  }
  return { id, teamId, admin: await addColleague({ role: 'admin', teamRole: 'admin' }), addColleague }
}

interface PersonOptions {
  accountId: string
  teamId: string | null
  teamRole: string | null
  role: string
  superAdmin: boolean
}

/** Insert a user with a sign-in, by SQL. */
export async function createPerson(
  service: Service,
  { accountId, teamId, teamRole, role, superAdmin }: PersonOptions,
): Promise<Person> {
  const email = `person-${process.pid}-${++personCount}-${crypto.randomUUID().slice(0, 8)}@people.example`
  const fullName = `Person ${personCount}`
  const [row] = await service.sql<{ user_id: string; sign_in_id: string }>(
    `with inserted_user as (
            insert into users (account_id, email, full_name, role, team_id, team_role, is_super_admin, email_verified_at)
            values ($1, $2, $3, $4, $5, $6, $7, now()) returning id, account_id),
          inserted_sign_in as (
            insert into sign_ins (account_id, user_id, expires_at)
            select account_id, id, now() + interval '30 days' from inserted_user returning id)
     select inserted_user.id as user_id, inserted_sign_in.id as sign_in_id from inserted_user, inserted_sign_in`,
    [accountId, email, fullName, role, teamId, teamRole, superAdmin],
  )
  const { user_id: id, sign_in_id: signInId } = row as { user_id: string; sign_in_id: string }
  const token = await signAccessToken(service, { userId: id, accountId, signInId })
  const call: Person['call'] = (method, path, body, headers) =>
    request(service, method, path, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(headers ? { headers } : {}),
    })
  let client: Client | undefined
  return {
    id,
    accountId,
    teamId: teamId ?? '',
    signInId,
    email,
    fullName,
    token,
    call,
    get client() {
      client ??= createTestClient(service, token)
      return client
    },
  }
}
