// @module-tag attack
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '#db/migrate.ts'
import { sharedService } from '#test/support/app.ts'
import { asSuperuser, connect, createEmptyDatabase, writeMigrations } from '#test/support/migrations.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'

// What a caller could do who runs SQL of their own as the role that serves requests.
describe('the role that serves requests', async () => {
  const service = await sharedService()
  let client: pg.Client
  let ours: TestAccount
  let theirs: TestAccount
  beforeAll(async () => {
    client = new pg.Client({ connectionString: service.settings.DATABASE_URL })
    await client.connect()
    ;[ours, theirs] = await Promise.all([createAccount(service), createAccount(service)])
  })
  beforeEach(async () => void (await client.query('rollback')))
  afterAll(() => client.end())

  const enter = ({ id, admin }: TestAccount) =>
    client.query(`select app.enter($1, $2, $3, 'user', 'none', '')`, [admin.id, id, admin.signInId])
  const readScope = async () =>
    (await client.query<{ scope: string }>(`select current_setting('app.scope') as scope`)).rows[0]?.scope ??
    ''
  const setScope = (scope: string) => client.query(`select set_config('app.scope', $1, true)`, [scope])
  const refused = { code: '42501' }

  it('reads no row with a tenant context that it made itself', async () => {
    await client.query('begin')
    await setScope(` ${theirs.id} ${theirs.admin.id} admin   `)
    await expect(client.query('select id from users')).rejects.toMatchObject(refused)
  })

  it.each(['account', 'user', 'role', 'team', 'role in the team', 'client address'] as const)(
    'reads no row after it changed the %s of its tenant context',
    async (field) => {
      await client.query('begin')
      await enter(ours)
      const fields = (await readScope()).split(' ')
      const index =
        1 + ['account', 'user', 'role', 'team', 'role in the team', 'client address'].indexOf(field)
      const forged = fields.with(
        index,
        field === 'account' ? theirs.id : field === 'user' ? theirs.admin.id : `${fields[index]}x`,
      )
      await setScope(forged.join(' '))
      await expect(client.query('select id from users')).rejects.toMatchObject(refused)
    },
  )

  it('reads no row with the tenant context of an earlier transaction', async () => {
    await client.query('begin')
    await enter(theirs)
    const scope = await readScope()
    await client.query('commit')
    await client.query('begin')
    await setScope(scope)
    await expect(client.query('select id from users')).rejects.toMatchObject(refused)
  })

  it.each([
    ['search flows', `select app.list_trees(p_filters => '{}', p_sort => 'name', p_skip => 0, p_limit => 9)`],
    ['ask for a tag', `select app.has_tag('vpn')`],
    ['search the step library', `select app.find_library_steps('{%}', true)`],
    ['search sessions', `select app.find_sessions(p_filters => '{}', p_skip => 0, p_limit => 9)`],
    ['search diagrams', `select app.find_diagrams('{%}')`],
    ['search scripts', `select app.find_scripts('{%}')`],
    ['count a use of a flow', `select app.count_use(gen_random_uuid(), gen_random_uuid())`],
    ['count a use of a script', 'select app.count_script_use(gen_random_uuid())'],
    ['read the origin of a flow', 'select app.tree_line(gen_random_uuid(), gen_random_uuid())'],
    ['delete a team', 'select app.delete_team(gen_random_uuid())'],
  ])('cannot %s with a tenant context that it made itself', async (_, call) => {
    await client.query('begin')
    await setScope(` ${theirs.id} ${theirs.admin.id} admin   `)
    await expect(client.query(call)).rejects.toMatchObject(refused)
  })

  it('can call no security definer function that uses the tenant context without its signature', async () => {
    const rows = await service.sql<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
        where p.prosecdef and has_function_privilege('app_runtime', p.oid, 'execute') and p.prorettype <> 'trigger'::regtype
          and p.prosrc ~ 'app\\.(account_id|user_id|role|team_id|team_role|sees|may_change)\\(' and p.prosrc !~ 'app\\.require_scope\\(\\)'
          and p.proname <> 'signed_account_id'`,
    )
    expect(rows).toEqual([])
  })

  it.each([
    ['sign a tenant context', `select app.sign('x')`],
    ['set a tenant context', `select app.set_scope(gen_random_uuid(), null, null, null, null, null)`],
    ['enter an account without a sign-in', 'select app.enter_account(gen_random_uuid(), null)'],
    ['enter a team', 'select app.enter_team(gen_random_uuid())'],
    ['read the key of the signatures', 'select key from app.signing_key'],
    [
      'replace a function',
      `create or replace function app.now() returns timestamptz language sql as 'select now()'`,
    ],
    ['create a large object', 'select lo_create(0)'],
    ['read the passwords', 'select * from passwords'],
    ['become the platform role', 'set role app_platform'],
  ])('cannot %s', async (_, statement) => {
    await expect(client.query(statement)).rejects.toMatchObject(refused)
  })

  it('cannot write an entry of the audit log', async () => {
    await client.query('begin')
    await enter(ours)
    const insert = `insert into audit_logs (account_id, action, resource_type) values ($1, 'member.updated', 'member')`
    await expect(client.query(insert, [ours.id])).rejects.toMatchObject(refused)
  })

  it('cannot switch the audit log off', async () => {
    await client.query('begin')
    await enter(ours)
    await client.query(`select set_config('app.audit', 'off', true)`)
    await client.query(`update accounts set name = 'Renamed' where id = $1`, [ours.id])
    const { rows } = await client.query(
      `select changes -> 'name' ->> 'to' as name from audit_logs where action = 'account.updated'`,
    )
    expect(rows).toEqual([{ name: 'Renamed' }])
  })

  it.each([
    ['an unknown access', ['owner', 'none'], 'SF403'],
    ['no access', [null, 'none'], 'SF403'],
    ['unknown guards to skip', ['user', 'all'], '22023'],
    ['no guards to skip', ['user', null], '22023'],
  ])('is not admitted with %s', async (_, values, code) => {
    const parameters = [ours.admin.id, ours.id, ours.admin.signInId, ...values]
    await expect(client.query(`select app.enter($1, $2, $3, $4, $5, '')`, parameters)).rejects.toMatchObject({
      code,
    })
  })
})

describe('a migrated database', () => {
  it('lets the role that serves requests create no temporary table', async () => {
    const url = await createEmptyDatabase()
    await migrate(url)
    await asSuperuser(url, async (superuser) => {
      await superuser.query('set role app_runtime')
      await expect(superuser.query('create temporary table users (id int)')).rejects.toMatchObject({
        code: '42501',
      })
    })
  })

  it('is migrated although another role holds advisory locks', async () => {
    const url = await createEmptyDatabase()
    const other = await connect(url)
    await other.query('select pg_advisory_lock(key) from generate_series(7310000, 7310002) key')
    const folder = await writeMigrations({ '0001_things.sql': 'create table things (id integer)' })
    expect(await migrate(url, undefined, folder, { maxTotalMs: 0 })).toContain('0001_things.sql')
  })
})
