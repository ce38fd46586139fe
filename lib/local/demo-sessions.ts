import type pg from 'pg'
import {
  findAnswerableStep,
  getFirstStepId,
  getNextStepId,
  getPosition,
} from '#rules/flows/step-navigation.ts'
import type { TreeStructure } from '#rules/flows/structure.ts'

const sessionCount = 30
const dayCount = 14
const minuteMs = 60_000
const dayMs = 1440 * minuteMs

type Outcome = 'resolved' | 'unresolved' | 'escalated' | 'cancelled'
const outcomes: readonly Outcome[] = [
  'resolved',
  'resolved',
  'escalated',
  'resolved',
  'resolved',
  'unresolved',
  'resolved',
  'cancelled',
]
/** How many steps a session answers that does not reach the end of its flow. */
const answersBefore: Partial<Record<Outcome | 'none', number>> = { none: 2, escalated: 3, cancelled: 1 }
const notes: Record<Outcome, string> = {
  resolved: 'The user confirmed that it works again.',
  unresolved: 'It comes back after a restart. Waiting for the vendor.',
  escalated: 'Needs rights that the first line does not have.',
  cancelled: 'The user solved it in the meantime.',
}
const companies = ['Contoso', 'Fabrikam', 'Adatum', 'Litware', 'Tailspin']

/** Answers to the intake forms of the flows that ship. */
const answers: Record<string, string | number> = {
  printer_name: 'Reception colour',
  printer_ip: '10.20.4.31',
  affected: 'One user',
  user_name: 'maya',
  vpn_gateway: 'vpn.contoso.example',
  failing_name: 'intranet.contoso.example',
  dns_server: '10.20.0.10',
  client_os: 'Windows',
  computer_name: 'pc-0412',
  since: 'A few days',
  slow_example: 'Opening a letter takes 40 seconds',
  user_upn: 'maya@contoso.example',
  directory: 'Microsoft Entra ID only',
  callback_number: '+49 30 901820',
  mailbox: 'maya@contoso.example',
  mail_program: 'Outlook for Windows',
}

interface DemoFlow {
  account_id: string
  id: string
  version: number
  name: string
  tree_structure: TreeStructure
  intake_form: { key: string }[]
}

interface DemoUser {
  id: string
  account_id: string
  team_id: string | null
}

/**
 * Insert sessions of the last two weeks, so that lists, reports and plots have something to show on the first
 * day.
 */
export async function seedDemoSessions(
  client: Pick<pg.Client, 'query'>,
  emails: readonly string[],
): Promise<void> {
  const { rows: users } = await client.query<DemoUser>(
    'select id, account_id, team_id from users where email = any ($1) order by array_position($1, email)',
    [emails],
  )
  const { rows: flows } = await client.query<DemoFlow>(`
    select t.account_id, t.id, t.version, t.name, v.tree_structure, v.intake_form from trees t
      join tree_versions v on v.account_id = t.account_id and v.tree_id = t.id and v.version = t.version
     where t.account_id = app.platform_account() and t.tree_type = 'troubleshooting' and t.status = 'published' order by t.id`)
  const { rows } = await client.query<{ now: Date }>('select app.now() as now')
  const now = rows[0]?.now as Date
  const pick = <T>(items: readonly T[], n: number) => items[n % items.length] as T
  const sessions = Array.from({ length: sessionCount }, (_, n) =>
    createSession(n, now, pick(flows, n), pick(users, n)),
  )
  await client.query(
    `with input as (
       select uuidv7() as id, g.* from jsonb_to_recordset($1) g (account_id uuid, team_id uuid, user_id uuid, tree_account_id uuid, tree_id uuid,
         tree_version int, tree_name text, ticket_number text, client_name text, variables jsonb, outcome text, notes text, current_step_id text,
         answered int, remaining int, started_at timestamptz, completed_at timestamptz, score int, steps jsonb)
     ), inserted_sessions as (
       insert into sessions (id, account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name,
                             variables, outcome, notes, current_step_id, answered, remaining, started_at, completed_at, created_at)
       select id, account_id, team_id, user_id, tree_account_id, tree_id, tree_version, tree_name,
              case when outcome is null then 'in_progress' else 'completed' end, ticket_number, client_name, variables, outcome, notes,
              current_step_id, answered, remaining, started_at, completed_at, started_at from input
     ), inserted_decisions as (
       insert into session_decisions (decided_by, account_id, session_id, seq, step_id, option_id, outcome, started_at, duration_seconds, decided_at)
       select i.user_id, i.account_id, i.id, s.seq, s.step_id, s.option_id, s.outcome, s.started_at, s.seconds, s.started_at + make_interval(secs => s.seconds)
         from input i, jsonb_to_recordset(i.steps) s (seq int, step_id text, option_id text, outcome text, started_at timestamptz, seconds int)
     ), inserted_ratings as (
       insert into session_ratings (account_id, session_id, session_user_id, score, rated_by, rated_at)
       select account_id, id, user_id, score, user_id, completed_at from input where score is not null
     )
     update trees t set usage_count = t.usage_count + used.count
       from (select tree_id, count(*) from input group by tree_id) used where t.account_id = app.platform_account() and t.id = used.tree_id`,
    [JSON.stringify(sessions)],
  )
}

/**
 * Make the row of session `n`. The first two are in progress, the others lie in the working hours of the last
 * two weeks.
 */
function createSession(n: number, now: Date, flow: DemoFlow, user: DemoUser) {
  const outcome = n < 2 ? null : (outcomes[n % outcomes.length] as Outcome)
  const midnight = now.getTime() - (now.getTime() % dayMs)
  const days = 1 + Math.floor((n * dayCount) / sessionCount)
  const startedAt =
    outcome === null
      ? now.getTime() - (n + 1) * 20 * minuteMs
      : midnight - days * dayMs + (8 * 60 + ((n * 97) % 540)) * minuteMs
  const { steps, nextId, endedAt } = walk(flow.tree_structure, n, startedAt, outcome)
  const { current_step_id, remaining } = getPosition(flow.tree_structure, nextId)
  return {
    account_id: user.account_id,
    team_id: user.team_id,
    user_id: user.id,
    tree_account_id: flow.account_id,
    tree_id: flow.id,
    tree_version: flow.version,
    tree_name: flow.name,
    ticket_number: String(4600 + n),
    client_name: companies[n % companies.length],
    variables: Object.fromEntries(
      flow.intake_form.flatMap(({ key }) => (key in answers ? [[key, answers[key]]] : [])),
    ),
    outcome,
    notes: outcome && notes[outcome],
    current_step_id,
    answered: steps.length,
    remaining,
    started_at: new Date(startedAt),
    completed_at: outcome && new Date(endedAt),
    score: outcome === 'resolved' && n % 3 === 0 ? 3 + (n % 2) + (n % 4 === 0 ? 1 : 0) : null,
    steps,
  }
}

/** Answer the steps of a flow, with another choice for each session. */
function walk(structure: TreeStructure, n: number, startedAt: number, outcome: Outcome | null) {
  const maxAnswers = answersBefore[outcome ?? 'none'] ?? Number.POSITIVE_INFINITY
  const steps = []
  let at = startedAt
  let nextId = getFirstStepId(structure)
  for (let seq = 0; nextId !== null && seq < maxAnswers; seq++) {
    const node = findAnswerableStep(structure, nextId)
    const options = (node && 'options' in node && node.options) || []
    const option_id = options[Math.floor(n / 6 + seq) % Math.max(1, options.length)]?.id ?? null
    const seconds = 60 + ((n * 37 + seq * 53) % 300)
    const answer = option_id === null ? (outcome === 'unresolved' ? 'failed' : 'done') : null
    steps.push({ seq, step_id: nextId, option_id, outcome: answer, started_at: new Date(at), seconds })
    at += seconds * 1000
    nextId = getNextStepId(structure, nextId, option_id)
  }
  return { steps, nextId, endedAt: at }
}
