import { expect, it, onTestFinished } from 'vitest'
import { listTableProblems } from '#local/build/check-tables.ts'
import { connectAsOwner } from '#test/support/app.ts'

it('DAT-02 ERA-12 RET-01 RET-02 every table has what `npm run check` asks of it', async () => {
  const client = await connectAsOwner()
  onTestFinished(() => client.end())
  expect(await listTableProblems(client)).toEqual([])
})

it('DAT-02 ERA-12 RET-01 says of a new table and of a new key what is missing', async () => {
  const client = await connectAsOwner()
  onTestFinished(() => client.end())
  await client.query(`begin;
    create table things (id uuid primary key, account_id uuid not null references accounts on delete cascade);
    drop trigger delete_tree_pins on users;
    call app.delete_with_person('psa_connections');
    alter table ai_feedback add column webhook_id uuid, add foreign key (account_id, webhook_id) references webhooks (account_id, id);
    alter table account_export_parts drop constraint ${await findKey(client)}`)
  expect(await listTableProblems(client)).toEqual([
    'things: say in lib/db/account-data.ts that an export has it, or why it has not',
    "things: every account could read its rows; `call app.protect('things')`",
    'ai_feedback: place it before webhooks in lib/db/erasure.ts, to which its rows refer',
    'psa_connections: say in lib/db/erasure.ts that the rows of a person are deleted',
    "tree_pins: nothing deletes the rows of a person; `call app.delete_with_person('tree_pins')`",
    'account_export_parts: no foreign key deletes its rows with those of account_exports, as lib/db/retention.ts says',
  ])
  await client.query('rollback')
})

async function findKey(client: Awaited<ReturnType<typeof connectAsOwner>>): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select conname as name from pg_constraint where conrelid = 'account_export_parts'::regclass and confrelid = 'account_exports'::regclass`,
  )
  return rows[0]?.name ?? ''
}
