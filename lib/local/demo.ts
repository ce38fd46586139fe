import type pg from 'pg'
import * as z from 'zod'
import { withConnection } from '#db/migrate/connection.ts'
import { selectUserByEmail } from './dashboard/users.ts'
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
  { email: 'admin@northwind.example', name: 'Alex Moreau', role: 'admin', teamRole: 'admin', description: 'account admin' },
  { email: 'lead@northwind.example', name: 'Lina Haddad', role: 'engineer', teamRole: 'admin', description: 'team admin' },
  { email: 'engineer@northwind.example', name: 'Dana Reyes', role: 'engineer', teamRole: 'member', description: 'engineer' },
  { email: 'viewer@northwind.example', name: 'Vik Olsen', role: 'viewer', teamRole: 'member', description: 'viewer' },
]
const contoso: DemoPerson[] = [
  { email: 'admin@contoso.example', name: 'Carla Ito', role: 'admin', teamRole: 'admin', description: 'account admin of another account' },
  {
    email: 'staff@supportflow.example',
    name: 'Sam Berg',
    role: 'admin',
    teamRole: 'admin',
    superAdmin: true,
    description: 'super admin (platform staff)',
  },
]

export const demoSignIns = [...northwind, ...contoso].map(({ email, description }) => ({ email, description, password }))

/**
 * Create two accounts with users of every role, unless they exist. The first user of an account registers through the API, which hashes
 * the password; the others get a copy of that hash.
 */
export async function seedDemo({ api, ownerUrl }: Stack): Promise<void> {
  await withConnection({ connectionString: ownerUrl }, async (client) => {
    await setLocalPrices(client)
    for (const [accountName, people] of [
      ['Northwind IT', northwind],
      ['Contoso Support', contoso],
    ] as const) {
      const [first, ...others] = people
      if (!first || (await client.query('select from users where email = $1', [first.email])).rowCount) continue
      await register(api, accountName, first)
      for (const person of others) await addColleague(client, first, person)
      await client.query('update users set email_verified_at = app.now() where email = any ($1)', [people.map(({ email }) => email)])
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
  if (response.status !== 201) throw new Error(`The demo account could not be created: ${response.status} ${await response.text()}`)
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

const EscalationInput = z.strictObject({
  email: z.email().default('engineer@northwind.example').describe('The user who escalates.'),
  account_of: z
    .email()
    .optional()
    .describe('A user of the account in which an unnamed engineer escalates, so that every admin of the account is notified.'),
  target_email: z.email().nullish().describe('The engineer to whom the escalation is addressed.'),
  problem_summary: z
    .string()
    .min(1)
    .max(20_000)
    .default('VPN drops every few minutes for the whole branch office since the firewall update last night'),
  psa_ticket_id: z.string().max(100).nullish(),
})

/** Emit an escalation event as the service does, for a session that does not exist. Return the ids of its deliveries. */
export async function createDemoEscalation(stack: Stack, input: unknown) {
  const { email, account_of, target_email, problem_summary, psa_ticket_id = '4711' } = EscalationInput.parse(input ?? {})
  const member = await selectUserByEmail(stack.ownerUrl, account_of ?? email)
  const target = target_email ? await selectUserByEmail(stack.ownerUrl, target_email, member.account_id) : null
  const session_id = crypto.randomUUID()
  const delivery_ids = await stack.emitEvent(member.account_id, {
    key: 'session.escalated',
    actorId: account_of ? null : member.id,
    teamId: member.team_id,
    sessionId: session_id,
    engineerName: account_of ? 'Demo Engineer' : member.full_name,
    problemSummary: problem_summary,
    psaTicketId: psa_ticket_id,
    targetUserId: target?.id ?? null,
  })
  return { session_id, account_id: member.account_id, delivery_ids }
}
