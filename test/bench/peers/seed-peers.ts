import { withSuperuser } from '#local/postgres.ts'
import { nativePasswords } from '#platform/node/passwords.ts'
import { type BenchDatabase, type SeededAccount, userId } from '#test/bench/seed.ts'
import { insertFlowsSql } from '#test/support/many-flows.ts'
import { peerRole } from './guarded-role.ts'

export const peerPassword = 'violet-tractor-81'
const flowCount = 300
const runnableFlows = 20
const exportedSteps = 20
/** Sessions that one measured window can take. Those that it has used are reset before the next one. */
export const sessionPool = 8000

const toHex = (n: number) => n.toString(16).padStart(12, '0')
const idOf = (kind: string) => (account: SeededAccount, n: number) =>
  `000000${account.tag}-0000-7000-${kind}-${toHex(n)}`
export const runnableFlowId = idOf('b001')
/** Sessions in progress, numbered from 0. Session n is of user `1 + n % userCount`, like those below. */
export const openSessionId = idOf('b002')
/** A completed session per user. */
export const doneSessionId = idOf('b004')
export const aiSessionId = idOf('b005')
export { runnableFlows }

export const flowStructure = {
  id: 'n1',
  type: 'decision',
  title: 'Does {{printer}} answer a ping?',
  description: 'Run `ping {{printer}}` on a computer of the same floor.',
  options: [
    { id: 'yes', label: 'Yes', next_node_id: 'n2' },
    { id: 'no', label: 'No', next_node_id: 'n3' },
  ],
  children: [
    {
      id: 'n2',
      type: 'action',
      title: 'Clear the queue of {{printer}}',
      description: 'Restart the spooler.',
      next_node_id: 'n4',
      children: [{ id: 'n4', type: 'solution', title: 'It prints', description: '' }],
    },
    { id: 'n3', type: 'solution', title: 'Reseat the network cable', description: '' },
  ],
}
const doneStructure = {
  steps: Array.from({ length: exportedSteps }, (_, n) => ({
    id: `s${n}`,
    type: 'procedure_step',
    title: `Step ${n}`,
    description: 'Run `ipconfig /all` on {{printer}}; it prints the address of every adapter.',
  })),
}
export const flowForm = [{ key: 'printer', label: 'Address of the printer', type: 'text', required: true }]

/** Add what the operations need: passwords, flows, sessions in progress and completed, and AI sessions. */
export async function seedPeers(
  { postgresPort, database }: BenchDatabase,
  account: SeededAccount,
): Promise<void> {
  const hash = await nativePasswords().hash(peerPassword)
  const authors = Array.from({ length: 20 }, (_, n) => userId(account.tag, n + 1))
  await withSuperuser(postgresPort, database, async (client) => {
    await client.query(
      'insert into passwords (user_id, hash) select id, $1 from users where account_id = $2',
      [hash, account.accountId],
    )
    await client.query(insertFlowsSql({ id: account.accountId, teamId: null, authors }, flowCount))
    await client.query(runnableFlowRows(account))
    await client.query(sessionRows(account))
    await client.query(aiSessionRows(account))
    await client.query(peerRole)
    await client.query('vacuum analyze')
  })
}

const json = (value: unknown) => `'${JSON.stringify(value)}'::jsonb`
const idSql = ({ tag }: SeededAccount, kind: string, n: string) =>
  `('000000${tag}-0000-7000-${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** The flows that sessions run, and after them the flow of the completed sessions. */
function runnableFlowRows(account: SeededAccount): string {
  const { accountId, tag } = account
  const flows = `generate_series(0, ${runnableFlows}) n`
  const type = `case when n = ${runnableFlows} then 'procedural' else 'troubleshooting' end`
  return `
    insert into trees (id, account_id, author_id, tree_type, status, visibility, name)
    select ${idSql(account, 'b001', 'n')}, '${accountId}', '${userId(tag, 1)}', ${type}, 'published', 'account', 'Printer ' || n from ${flows};
    insert into tree_versions (account_id, tree_id, version, status, name, tree_type, tree_structure, intake_form, saved_by)
    select '${accountId}', ${idSql(account, 'b001', 'n')}, 1, 'published', 'Printer ' || n, ${type},
           case when n = ${runnableFlows} then ${json(doneStructure)} else ${json(flowStructure)} end, ${json(flowForm)}, '${userId(tag, 1)}'
      from ${flows};`
}

function sessionRows(account: SeededAccount): string {
  const { accountId, userCount } = account
  const owner = (n: string) => idSql(account, '8000', `1 + ${n} % ${userCount}`)
  const columns = `(id, account_id, user_id, tree_account_id, tree_id, tree_version, tree_name, state, ticket_number, client_name, variables, outcome,
                    current_step_id, answered, remaining, started_at, completed_at, exported_at)`
  const variables = json({ printer: '10.1.2.3' })
  return `
    insert into sessions ${columns}
    select ${idSql(account, 'b002', 'n')}, '${accountId}', ${owner('n')}, '${accountId}', ${idSql(account, 'b001', `n % ${runnableFlows}`)}, 1,
           'Printer', 'in_progress', 'T-' || n, 'Contoso', ${variables}, null, 'n1', 0, 3, now(), null, null
      from generate_series(0, ${sessionPool - 1}) n;
    insert into sessions ${columns}
    select ${idSql(account, 'b004', 'n')}, '${accountId}', ${owner('n')}, '${accountId}', ${idSql(account, 'b001', String(runnableFlows))}, 1,
           'Printer', 'completed', 'T-' || n, 'Contoso', ${variables}, 'resolved', null, ${exportedSteps}, 0, now(), now(), now()
      from generate_series(0, ${userCount - 1}) n;
    insert into session_decisions (decided_by, account_id, session_id, seq, step_id, outcome, note, started_at, duration_seconds)
    select ${owner('n')}, '${accountId}', ${idSql(account, 'b004', 'n')}, q, 's' || q, 'done', 'Adapter ' || q || ' has no address', now(), 40
      from generate_series(0, ${userCount - 1}) n, generate_series(0, ${exportedSteps - 1}) q;`
}

function aiSessionRows(account: SeededAccount): string {
  const { accountId, userCount } = account
  const sessions = `generate_series(0, ${sessionPool - 1}) n`
  const id = idSql(account, 'b005', 'n')
  return `
    insert into ai_sessions (id, account_id, user_id, session_type, title, problem_summary, client_name, evidence_items)
    select ${id}, '${accountId}', ${idSql(account, '8000', `1 + n % ${userCount}`)}, 'chat', 'Reception cannot print',
           'Reception cannot print since this morning.', 'Contoso', ${json([{ id: 'e1', text: 'The queue is full', source: 'user', created_at: '2026-01-01T00:00:00.000Z' }])}
      from ${sessions};
    insert into ai_facts (account_id, session_id, key, value, source, created_by)
    select '${accountId}', ${id}, 'fact ' || f, 'The server has ' || f || ' printers', 'user', ${idSql(account, '8000', `1 + n % ${userCount}`)}
      from ${sessions}, generate_series(1, 3) f;
    insert into ai_fixes (account_id, session_id, title, description, kind)
    select '${accountId}', ${id}, 'Restart the spooler', 'On the print server.', 'manual' from ${sessions};`
}

/** Return SQL that makes the sessions in progress, which the last window has answered, the same as before. */
export const resetSessions = (account: SeededAccount): string => `
  delete from session_decisions d using sessions s
   where s.account_id = '${account.accountId}' and s.state = 'in_progress' and s.answered > 0 and d.account_id = s.account_id and d.session_id = s.id;
  update sessions set current_step_id = 'n1', answered = 0, remaining = 3
   where account_id = '${account.accountId}' and state = 'in_progress' and answered > 0;`

/** Return SQL that makes the escalated AI sessions the same as before. */
export const resetAiSessions = ({ accountId }: SeededAccount): string => `
  delete from ai_handoffs where account_id = '${accountId}';
  update ai_sessions set status = 'active', escalated_to_id = null, escalation_package = null where account_id = '${accountId}' and status = 'escalated';`
