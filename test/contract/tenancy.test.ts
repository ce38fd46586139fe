// @module-tag shape
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { sharedService } from '#test/support/app.ts'
import { createAccount, type TestAccount } from '#test/support/people.ts'
import { insertFullAccount } from './full-account.ts'
import { listTenantTables, readChecksums } from './row-checksums.ts'

const service = await sharedService()
const tables = await listTenantTables(service)
const tenant = ['accounts', ...tables]

/** The runtime role has no access to these tables, so they need no account_id. */
const platformOnly = [
  'passwords',
  'refresh_tokens',
  'one_time_tokens',
  'email_changes',
  'sign_in_attempts',
  'sign_in_challenges',
  'passkey_challenges',
  'stream_tickets',
  'oauth_codes',
  'oauth_refresh_tokens',
  'totp_factors',
  'recovery_codes',
  'passkeys',
  'invite_codes',
  'platform_invite_codes',
  'sales_leads',
  'plan_billing',
  'key_fingerprints',
  'identities',
  'oauth_states',
]
/** The indexes that do not start with the account, with the reason. */
const otherIndexes = new Set([
  'sso_domains_verified', // a domain signs in before its account is known, on the platform connection
  'users_email', // an address signs in before its account is known
  'tree_shares_hash_key', // a link opens a flow before its account is known, on the platform connection
  'trees_gallery_words', // the gallery reads what every account made public, on the platform connection
  'trees_gallery_popular',
  'script_templates_slug_key', // unique across accounts: a gallery address contains no account
  'script_templates_gallery',
  'push_subscriptions_endpoint_hash_key', // a browser may have been of another account, on the platform connection
  'maintenance_schedules_due', // the minute job reads every account at once, on the platform connection
  'users_unverified', // unproven accounts are erased at once, on the platform connection
  'deliveries_due', // the sweep reads every account at once, on the platform connection
  'session_timers_due', // the reminders of every account are sent at once, on the platform connection
  'approvals_due', // the requests of every account expire at once, on the platform connection
  'teams_handover', // the handovers are written for every account at once, on the platform connection
  'trees_review_notice', // the reviews of every account are announced at once, on the platform connection
  'deliveries_held', // the digests are written for every account at once, on the platform connection
  'on_call_schedules_notice', // the sweep reads every account at once, on the platform connection
  'psa_pushes_due', // the sweep reads every account at once, on the platform connection
  'ai_handoffs_unassessed', // the sweep reads every account at once, on the platform connection
  'ai_sessions_returning', // the sweep reads every account at once, on the platform connection
  'ai_sessions_idle', // the clean-up archives idle chats of every account, on the platform connection
  'stream_events_waiting', // the sweep reads every account at once, on the platform connection
  'flow_conversations_expired', // the clean-up deletes by age in every account, on the platform connection
  'uploads_age', // the clean-up deletes by age in every account, on the platform connection
  'trees_deleted', // the clean-up deletes by age in every account, on the platform connection
  'users_search', // staff search the users of every account, on the platform connection
  'audit_logs_action', // staff list the actions of every account, on the platform connection
  'sign_ins_expiry', // the clean-up deletes by age in every account, on the platform connection
  'mail_counts_day', // the clean-up deletes by age in every account, on the platform connection
  'feature_overrides_feature', // for the foreign key: deleting a feature looks in every account, on the platform connection
  'billing_subscriptions_plan', // for the foreign key: deleting a plan looks in every account, on the platform connection
  'account_exports_due', // the sweep reads every account at once, on the platform connection
  'account_exports_expired', // the clean-up deletes by age in every account, on the platform connection
  'account_exports_removed', // the clean-up deletes by age in every account, on the platform connection
  'account_imports_due', // the sweep reads every account at once, on the platform connection
  'account_imports_finished', // the clean-up deletes by age in every account, on the platform connection
  'kb_batches_due', // the sweep reads every account at once, on the platform connection
  'kb_batches_finished', // the clean-up deletes by age in every account, on the platform connection
  'ai_tasks_due', // the sweep reads every account at once, on the platform connection
  'ai_tasks_age', // the clean-up deletes by age in every account, on the platform connection
  'webhook_deliveries_age', // the clean-up deletes by age in every account, on the platform connection
  'ai_calls_age', // the clean-up deletes by age in every account, on the platform connection
  'idempotency_keys_age', // the clean-up deletes by age in every account, on the platform connection
  'deliveries_age', // the clean-up deletes by age in every account, on the platform connection
  'alert_sources_token', // the token identifies the account, on the platform connection
  'calendar_feeds_token', // the token identifies the account, on the platform connection
  'alerts_due', // the sweep reads every account at once, on the platform connection
  'alerts_age', // the clean-up deletes by age in every account, on the platform connection
  'psa_callbacks_token', // the token identifies the account, on the platform connection
  'runner_runs_due', // the sweep reads every account at once, on the platform connection
  'runner_runs_age', // the clean-up deletes by age in every account, on the platform connection
  'psa_ticket_changes_due', // the sweep reads every account at once, on the platform connection
  'psa_ticket_changes_age', // the clean-up deletes by age in every account, on the platform connection
  'psa_rule_matches_age', // the clean-up deletes by age in every account, on the platform connection
  'psa_pushes_body', // the clean-up deletes by age in every account, on the platform connection
  'billing_events_age', // the clean-up deletes by age in every account, on the platform connection
  'billing_customers_age', // the clean-up deletes by age what no account has, on the platform connection
  'billing_subscriptions_age', // the clean-up deletes by age what no account has, on the platform connection
  'billing_subscriptions_customer', // an event may come before its account is known, on the platform connection
  'escalation_reminders_due', // the sweep reads every account at once, on the platform connection
  'knowledge_embeddings_due', // the job reads every account at once, on the platform connection
  'knowledge_embeddings_model', // the same
  'flow_link_checks_due', // the job reads every account at once, on the platform connection
  'tree_subflows_child', // for a foreign key, of which the other account comes first
  'weekly_reports_age', // the clean-up deletes by age in every account, on the platform connection
  'on_call_schedule_versions_age', // the clean-up deletes by age in every account, on the platform connection
  'on_call_substitute_requests_notice', // the sweep reads every account at once, on the platform connection
  'on_call_substitute_requests_age', // the clean-up deletes by age in every account, on the platform connection
  'on_call_overrides_age', // the clean-up deletes by age in every account, on the platform connection
  'maintenance_runs_age', // the clean-up deletes by age in every account, on the platform connection
  'deliveries_sales_lead', // a foreign key of the platform: a lead has no account
  'sessions_tree_version', // for a foreign key, of which the other account comes first
  'session_custom_steps_tree', // for a foreign key, of which the other account comes first
  'ai_sessions_tree_key', // for a foreign key, of which the other account comes first
  'ai_fixes_script_key', // for a foreign key, of which the other account comes first
  'tree_pins_tree', // for a foreign key, of which the other account comes first
  'trees_parent_key', // for a foreign key, of which the other account comes first
  'search_entries_words', // each word in it starts with a tag of its account
  'trees_root_key', // for a foreign key, of which the other account comes first
])

describe('database schema', () => {
  it('every tenant table forces row level security for reads and writes', async () => {
    const flags = await service.sql<{ name: string; on: boolean }>(
      `select relname as name, relrowsecurity and relforcerowsecurity as on from pg_class
        where relnamespace = 'public'::regnamespace and relname = any ($1)`,
      [tenant],
    )
    expect(flags.filter(({ on }) => !on)).toEqual([])
    expect(flags).toHaveLength(tenant.length)
    const isOwn = /^\(+(account_id|id) = \( SELECT app\.signed_account_id\(\)/
    const policies = await service.sql<{
      tablename: string
      cmd: string
      qual: string | null
      with_check: string | null
    }>(`select tablename, cmd, qual, with_check from pg_policies where schemaname = 'public'`)
    for (const table of tenant) {
      const own = policies.filter(({ tablename }) => tablename === table)
      const reads = own.filter(({ cmd }) => cmd === 'ALL' || cmd === 'SELECT')
      const writes = own.filter(({ cmd }) => cmd === 'ALL' || cmd === 'INSERT')
      // Only triggers write the audit log and its numbers.
      expect([table, reads.length, writes.length]).toEqual([table, 1, table.startsWith('audit_') ? 0 : 1])
      for (const { cmd, qual } of own) if (cmd !== 'INSERT') expect(qual, table).toMatch(isOwn)
      for (const { cmd, with_check } of own)
        if (cmd !== 'SELECT' && cmd !== 'DELETE') expect(with_check, table).toMatch(isOwn)
    }
  })

  it('every index of a tenant table starts with the account, except the listed ones', async () => {
    const rows = await service.sql<{ index: string; table: string; columns: string[]; primary: boolean }>(
      `select c.relname as index, t.relname as table, i.indisprimary as primary,
              array(select pg_get_indexdef(i.indexrelid, n, true) from generate_series(1, i.indnkeyatts) n) as columns
         from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid where t.relname = any ($1)`,
      [tables],
    )
    expect(rows.length).toBeGreaterThan(tables.length)
    const indexesWithoutAccount = rows.filter(
      ({ columns, primary }) => columns[0] !== 'account_id' && !(primary && columns.join() === 'id'),
    )
    expect(indexesWithoutAccount.filter(({ index }) => !otherIndexes.has(index))).toEqual([])
  })

  it('every foreign key to a tenant table contains the account', async () => {
    const keys = await service.sql<{
      name: string
      from: string
      to: string
      columns: string[]
      targets: string[]
    }>(
      `select k.conname as name, k.conrelid::regclass::text as from, k.confrelid::regclass::text as to,
              array(select attname::text from unnest(k.conkey) with ordinality n (num, at)
                      join pg_attribute on attrelid = k.conrelid and attnum = num order by at) as columns,
              array(select attname::text from unnest(k.confkey) with ordinality n (num, at)
                      join pg_attribute on attrelid = k.confrelid and attnum = num order by at) as targets
         from pg_constraint k where k.contype = 'f' and k.connamespace = 'public'::regnamespace`,
    )
    const toTenants = keys.filter(({ from, to }) => tables.includes(to) && !platformOnly.includes(from))
    expect(toTenants.length).toBeGreaterThan(5)
    // A foreign key ignores row level security, so it must contain the account.
    expect(
      toTenants.filter(
        ({ columns, targets }) => !columns[0]?.endsWith('account_id') || targets[0] !== 'account_id',
      ),
    ).toEqual([])
  })

  it('a request gives up a lock after 1 s and a job after 4 s, and both a statement after 5 s', async () => {
    const roles = await service.sql<{ rolname: string; rolconfig: string[] }>(
      `select rolname, rolconfig from pg_roles where rolname in ('app_runtime', 'app_platform') order by rolname`,
    )
    expect(roles.map(({ rolname, rolconfig }) => [rolname, rolconfig])).toEqual([
      ['app_platform', expect.arrayContaining(['lock_timeout=4s', 'statement_timeout=5s'])],
      ['app_runtime', expect.arrayContaining(['lock_timeout=1s', 'statement_timeout=5s'])],
    ])
  })

  it('the runtime role owns nothing and cannot bypass the policies', async () => {
    const [role] = await service.sql(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, has_schema_privilege('app_runtime', 'public', 'create') as creates_public,
              has_schema_privilege('app_runtime', 'app', 'create') as creates_app, pg_has_role('app_runtime', 'app_platform', 'member') as is_platform
         from pg_roles where rolname = 'app_runtime'`,
    )
    expect(Object.values(role ?? {})).toEqual([false, false, false, false, false, false, false])
    const owned = await service.sql(
      `select relname from pg_class where relowner = 'app_runtime'::regrole
       union all select proname from pg_proc where proowner = 'app_runtime'::regrole`,
    )
    expect(owned).toEqual([])
    for (const table of platformOnly) {
      const [{ may } = { may: true }] = await service.sql<{ may: boolean }>(
        `select has_table_privilege('app_runtime', $1, 'select') as may`,
        [table],
      )
      expect([table, may]).toEqual([table, false])
    }
    const loose = await service.sql(
      `select p.proname from pg_proc p where p.pronamespace = 'app'::regnamespace and p.prosecdef
          and not coalesce(p.proconfig, '{}') && array['search_path=pg_catalog, pg_temp', 'search_path=public, pg_temp']`,
    )
    expect(loose, 'security definer functions without a pinned search_path').toEqual([])
  })
})

describe('row level security without conditions in the statements', () => {
  let client: pg.Client
  let ours: TestAccount
  let theirs: TestAccount

  beforeAll(async () => {
    const url = new URL(service.settings.DATABASE_URL ?? '')
    const { username: user, password, pathname } = url
    client = new pg.Client({
      host: '127.0.0.1',
      port: inject('shared').postgresPort,
      user,
      password,
      database: pathname.slice(1),
    })
    await client.connect()
    ours = await createAccount(service)
    theirs = await createAccount(service)
    await insertFullAccount(service, ours)
  })
  afterAll(() => client.end())

  const idColumn = (table: string) => (table === 'accounts' ? 'id' : 'account_id')
  const count = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rowCount ?? 0

  /**
   * Run one statement in the scope of an account and roll it back. Return the row count, or the SQLSTATE of a
   * refusal.
   */
  async function inScope(
    account: TestAccount,
    sql: string,
    values: unknown[] = [],
  ): Promise<number | string> {
    await client.query('begin')
    try {
      await client.query(`select app.enter($1, $2, $3, 'user', 'none', '')`, [
        account.admin.id,
        account.id,
        account.admin.signInId,
      ])
      return await count(sql, values)
    } catch (error) {
      return (error as { code: string }).code
    } finally {
      await client.query('rollback')
    }
  }

  it.each(tenant)('another account cannot read, update, delete or insert rows in %s', async (table) => {
    const where = `where ${idColumn(table)} = $1`
    const before = await readChecksums(service, ours.id)
    const [column] = (await service.sql<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and has_column_privilege('app_runtime', attrelid, attnum, 'update')
       order by attname = 'account_id', attnum limit 1`,
      [table],
    )) as [{ name: string } | undefined]
    expect(await inScope(ours, `select 1 from ${table} ${where}`, [ours.id])).toBeGreaterThan(0)
    expect(await inScope(theirs, `select 1 from ${table} ${where}`, [ours.id])).toBe(0)
    if (column)
      expect(
        await inScope(theirs, `update ${table} set ${column.name} = ${column.name} ${where}`, [ours.id]),
      ).toBe(0)
    expect([0, '42501']).toContain(await inScope(theirs, `delete from ${table} ${where}`, [ours.id]))
    const [{ columns } = { columns: '' }] = await service.sql<{ columns: string }>(
      `select string_agg(attname, ', ') as columns from pg_attribute
        where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    )
    const copy = `insert into ${table} (${columns}) select ${columns} from jsonb_populate_record(null::${table}, $1)`
    const [{ row } = { row: {} }] = await service.sql<{ row: object }>(
      `select to_jsonb(t) as row from ${table} t ${where} limit 1`,
      [ours.id],
    )
    const fresh = { ...row, ...('id' in row ? { id: crypto.randomUUID() } : {}), [idColumn(table)]: ours.id }
    expect(await inScope(theirs, copy, [JSON.stringify(fresh)])).toBe('42501')
    expect(await readChecksums(service, ours.id)).toEqual(before)
  })

  it('a connection reads no row outside a scope, even after it was in one', async () => {
    for (const table of tenant) expect([table, await count(`select 1 from ${table}`)]).toEqual([table, 0])
    // Functions that bypass the policies take the account from the scope too.
    const trees = count(
      `select 1 from app.list_trees(p_filters => '{}', p_sort => 'name', p_skip => 0, p_limit => 9)`,
    )
    await expect(trees).rejects.toMatchObject({ code: '42501' })
    await expect(count(`select 1 from app.find_library_steps('{%}', true)`)).rejects.toMatchObject({
      code: '42501',
    })
    await client.query('begin')
    await client.query(`select app.enter($1, $2, $3, 'user', 'none', '')`, [
      ours.admin.id,
      ours.id,
      ours.admin.signInId,
    ])
    expect(await count('select 1 from users')).toBeGreaterThan(0)
    expect(await count(`select 1 from users where account_id <> '${ours.id}'`)).toBe(0)
    await client.query('commit')
    // After a commit the setting is an empty text, not NULL.
    expect((await client.query(`select current_setting('app.scope', true) as left`)).rows).toEqual([
      { left: '' },
    ])
    for (const table of tenant) expect([table, await count(`select 1 from ${table}`)]).toEqual([table, 0])
  })

  it('app.enter refuses the sign-in of another account, and the runtime role cannot enter without a sign-in', async () => {
    const enter = (values: string[]) =>
      client.query(`select app.enter($1, $2, $3, 'user', 'none', '')`, values)
    await expect(enter([theirs.admin.id, ours.id, theirs.admin.signInId])).rejects.toMatchObject({
      code: 'SF401',
    })
    await expect(enter([ours.admin.id, ours.id, theirs.admin.signInId])).rejects.toMatchObject({
      code: 'SF401',
    })
    await expect(
      client.query('select app.enter_account($1, $2)', [ours.id, ours.admin.id]),
    ).rejects.toMatchObject({ code: '42501' })
    await expect(client.query('set role app_platform')).rejects.toMatchObject({ code: '42501' })
  })
})
