import type pg from 'pg'
import * as z from 'zod'
import { parseConfig } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { createAccessTokens } from '#vendors/auth/tokens.ts'
import { selectUserByEmail } from './dashboard/users.ts'
import { seedDemoSessions } from './demo-sessions.ts'
import type { Stack } from './stack.ts'

const password = 'demo-ladder-42'

interface DemoPerson {
  email: string
  name: string
  role: 'admin' | 'engineer' | 'viewer'
  teamRole: 'admin' | 'member'
  superAdmin?: boolean
  description: string
}

const northwind: DemoPerson[] = [
  {
    email: 'admin@northwind.example',
    name: 'Alex Moreau',
    role: 'admin',
    teamRole: 'admin',
    description: 'account admin',
  },
  {
    email: 'lead@northwind.example',
    name: 'Lina Haddad',
    role: 'engineer',
    teamRole: 'admin',
    description: 'team admin',
  },
  {
    email: 'engineer@northwind.example',
    name: 'Dana Reyes',
    role: 'engineer',
    teamRole: 'member',
    description: 'engineer',
  },
  {
    email: 'viewer@northwind.example',
    name: 'Vik Olsen',
    role: 'viewer',
    teamRole: 'member',
    description: 'viewer',
  },
]
const contoso: DemoPerson[] = [
  {
    email: 'admin@contoso.example',
    name: 'Carla Ito',
    role: 'admin',
    teamRole: 'admin',
    description: 'account admin of another account',
  },
  {
    email: 'staff@supportflow.example',
    name: 'Sam Berg',
    role: 'admin',
    teamRole: 'admin',
    superAdmin: true,
    description: 'super admin (platform staff)',
  },
]

export const demoSignIns = [...northwind, ...contoso].map(({ email, description }) => ({
  email,
  description,
  password,
}))

/**
 * Create two accounts with users of every role, and sessions in the first one, unless they exist. The first
 * user of an account registers through the API, which hashes the password; the others get a copy of that
 * hash.
 */
export async function seedDemo({ api, ownerUrl }: Pick<Stack, 'api' | 'ownerUrl'>): Promise<void> {
  await withConnection({ connectionString: ownerUrl }, async (client) => {
    await setLocalPrices(client)
    for (const [accountName, people] of [
      ['Northwind IT', northwind],
      ['Contoso Support', contoso],
    ] as const) {
      const [first, ...others] = people
      if (!first || (await client.query('select from users where email = $1', [first.email])).rowCount)
        continue
      await register(api, accountName, first)
      for (const person of others) await addColleague(client, first, person)
      const emails = people.map(({ email }) => email)
      await client.query('update users set email_verified_at = app.now() where email = any ($1)', [emails])
      // A viewer runs no sessions.
      if (people === northwind) await seedDemoSessions(client, emails.slice(0, -1))
    }
  })
}

/** Set the price ids of the paid plans to those of the local Stripe emulator. */
export async function setLocalPrices(client: Pick<pg.Client, 'query'>): Promise<void> {
  await client.query(`
    update plan_billing set provider_product_id = 'prod_local_' || plan, provider_monthly_price_id = 'price_local_' || plan || '_monthly',
                            provider_annual_price_id = 'price_local_' || plan || '_annual'
     where plan <> 'free' and provider_product_id is null`)
}

async function register(api: string, account_name: string, { email, name }: DemoPerson): Promise<void> {
  const response = await fetch(`${api}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, full_name: name, account_name }),
  })
  if (response.status !== 201)
    throw new Error(`The demo account could not be created: ${response.status} ${await response.text()}`)
}

async function addColleague(
  client: pg.Client,
  first: DemoPerson,
  { email, name, role, teamRole, superAdmin = false }: DemoPerson,
): Promise<void> {
  await client.query(
    `with u as (
       insert into users (account_id, email, full_name, role, team_id, team_role, is_super_admin)
       select account_id, $2, $3, $4, team_id, $5, $6 from users where email = $1 returning id
     )
     insert into passwords (user_id, hash) select u.id, p.hash from u, passwords p join users f on f.id = p.user_id where f.email = $1`,
    [first.email, email, name, role, teamRole, superAdmin],
  )
}

/** The case of the first message that a newcomer sees, with everything that a real one may have. */
const demoCase = {
  session: {
    problem_summary:
      'VPN drops every few minutes for the whole branch office since the firewall update last night',
    client_name: 'Contoso Dental',
    psa_ticket_id: '4711',
  },
  handoff: {
    urgency: 'high',
    reason: 'Needs access to the firewall of the head office.',
    summary:
      'The tunnel of the branch drops every few minutes since the update. Both sides log a failed rekey.',
    what_was_tried:
      '1. Restarted the firewall of the branch: no change.\n2. Compared the pre-shared keys: equal.\n3. Switched to the second line: no change.',
    next_steps: 'Compare the phase 2 lifetimes on both sides.',
  },
}

const EscalationInput = z.strictObject({
  email: z.email().default('engineer@northwind.example').describe('The user who escalates.'),
  account_of: z
    .email()
    .optional()
    .describe('A user of the account in which another engineer escalates, so that this user is notified.'),
  target_email: z.email().nullish().describe('The engineer to whom the escalation is addressed.'),
  problem_summary: z
    .string()
    .min(1)
    .max(20_000)
    .optional()
    .describe('Without it, a complete case is escalated.'),
  psa_ticket_id: z.string().max(100).nullish(),
})

/**
 * Escalate a case of an engineer through the API, so that the queue, the stream and a pick-up show it. Return
 * its ids and those of its deliveries.
 */
export async function createDemoEscalation(stack: Stack, input: unknown) {
  const { email, account_of, target_email, problem_summary, psa_ticket_id } = EscalationInput.parse(
    input ?? {},
  )
  const member = await selectUserByEmail(stack.ownerUrl, account_of ?? email)
  const engineer = account_of ? await findDemoEngineer(stack, member) : member
  const target = target_email
    ? await selectUserByEmail(stack.ownerUrl, target_email, member.account_id)
    : null
  const token = await signIn(stack, engineer)
  const ticket = psa_ticket_id ? { psa_ticket_id } : {}
  const { session, handoff } = problem_summary ? { session: { problem_summary }, handoff: {} } : demoCase
  const { id: session_id } = await post(stack, token, '/ai-sessions', {
    session_type: 'chat',
    ...session,
    ...ticket,
  })
  const { handoff_id } = await post(stack, token, `/ai-sessions/${session_id}/escalate`, {
    ...handoff,
    ...(target ? { target_user_id: target.id } : {}),
  })
  const delivery_ids = await withConnection({ connectionString: stack.ownerUrl }, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select d.id from events e join deliveries d on d.event_id = e.id where e.account_id = $1 and e.link like '%' || $2 || '%' order by d.id`,
      [member.account_id, session_id],
    )
    return rows.map(({ id }) => id)
  })
  return { session_id, handoff_id, account_id: member.account_id, delivery_ids }
}

type Member = Awaited<ReturnType<typeof selectUserByEmail>>

/**
 * Return an engineer of the account who is not the member, so that the member is notified. Create one if
 * there is none.
 */
function findDemoEngineer(
  { ownerUrl }: Stack,
  { id, account_id, team_id }: Member,
): Promise<Pick<Member, 'id' | 'account_id'>> {
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    const { rows } = await client.query<{ id: string; account_id: string }>(
      `with found as (select id, account_id from users where account_id = $1 and id <> $2 and role = 'engineer' and is_active order by id limit 1),
            created as (
              insert into users (account_id, email, full_name, role, team_id, team_role, email_verified_at)
              select $1, 'demo-engineer-' || $1::text || '@demo.example', 'Demo Engineer', 'engineer', $3,
                     case when $3::uuid is null then null else 'member' end, app.now()
               where not exists (select from found) returning id, account_id)
       select * from found union all select * from created`,
      [account_id, id, team_id],
    )
    return rows[0] as { id: string; account_id: string }
  })
}

/** Sign in a user without a password. Return the access token. */
async function signIn(
  { ownerUrl, settings }: Stack,
  { id, account_id }: Pick<Member, 'id' | 'account_id'>,
): Promise<string> {
  const signInId = await withConnection({ connectionString: ownerUrl }, async (client) => {
    const text = `insert into sign_ins (account_id, user_id, expires_at) values ($1, $2, app.now() + interval '1 hour') returning id`
    return ((await client.query<{ id: string }>(text, [account_id, id])).rows[0] as { id: string }).id
  })
  return createAccessTokens(parseConfig(settings)).sign({ userId: id, accountId: account_id, signInId })
}

async function post(
  { api }: Stack,
  token: string,
  path: string,
  body: object,
): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const response = await fetch(`${api}/api/v1${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`The demo escalation failed: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}
