import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '#local/root.ts'
import { dashboard, type OwnService, startOwnService } from '#test/support/app.ts'
import { expectStatus } from '#test/support/expect-status.ts'
import { createLastingAccount } from '#test/support/maintenance.ts'
import { entries } from '#test/support/night.ts'
import type { TestAccount } from '#test/support/people.ts'
import { createWebhook, startReceiver } from '#test/support/webhook-receiver.ts'

const receiver = await startReceiver()
afterAll(() => receiver.close())
const accept = receiver.answer

/** Return every action that the database or the code writes into the audit log. */
async function listActions(service: OwnService): Promise<string[]> {
  const rows = await service.sql<{ action: string }>(`
    select split_part(encode(tgargs, 'escape'), '\\000', 1) || o.name as action
      from pg_trigger t
      join (values (4, '.created'), (16, '.updated'), (8, '.deleted')) o (bit, name) on t.tgtype & o.bit > 0
     where tgfoid = 'app.audit'::regproc
     union
    select m[1] from pg_proc, regexp_matches(prosrc, '''([a-z_]+\\.[a-z_]+)''', 'g') m
     where pronamespace = 'app'::regnamespace and prosrc ~ 'insert into (public\\.)?audit_logs'`)
  const sources = globSync(['functions/**/*.ts', 'lib/**/*.ts'], { cwd: root })
  const texts = await Promise.all(sources.map((name) => readFile(`${root}/${name}`, 'utf8')))
  const inCode = texts
    .filter((text) => /insertAuditEntry|audit_logs/.test(text))
    .flatMap((text) =>
      [...text.matchAll(/(?:action: |, )'([a-z_]+\.[a-z_]+)'/g)].map(([, action]) => `${action}`),
    )
  return [...new Set([...rows.map(({ action }) => action), ...inCode])].toSorted()
}

/** Read a file of comma-separated values whose texts are quoted. */
function readCsv(text: string): Record<string, string>[] {
  const [header = [], ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    )
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ''])))
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe.each(entries)('the audit log on %s', (platform) => {
  let service: OwnService
  beforeAll(async () => {
    service = await startOwnService({ OUTBOUND_ALLOWED_ORIGIN: receiver.origin }, { platform })
  })
  afterAll(() => service.close())

  const insert = (account: TestAccount, action: string, ago = '0 s', changes: object = {}) =>
    service.sql(
      `insert into audit_logs (account_id, actor_id, action, resource_type, changes, created_at)
       values ($1, $2, $3, split_part($3, '.', 1), $4, app.now() - $5::interval)`,
      [account.id, account.admin.id, action, changes, ago],
    )
  const exportLog = async ({ admin }: TestAccount, query = '') => {
    const answer = await admin.call('GET', `/accounts/me/audit-logs/export${query}`)
    expectStatus(answer, 200)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    return readCsv(answer.text)
  }
  const listEntries = async ({ admin }: TestAccount, query = '') => {
    const answer = await admin.call('GET', `/accounts/me/audit-logs?limit=100${query}`)
    expectStatus(answer, 200)
    // biome-ignore lint/suspicious/noExplicitAny: the test compares the entries as they are
    return answer.body as any[]
  }
  const listen = (account: TestAccount) => createWebhook(receiver, account.admin, ['audit.recorded'])
  type Hook = Awaited<ReturnType<typeof listen>>
  const listReceived = (hook: Hook) => hook.listReceived().flatMap(({ data }) => data.entries)
  const sweep = () => dashboard(service).advanceClock(70)

  it('ACC-27 WHK-18 each kind of entry reaches the list, the file and webhooks under one number without gaps', async () => {
    receiver.answer = accept
    const account = await createLastingAccount(service)
    const hook = await listen(account)
    const actions = await listActions(service)
    expect(actions.length).toBeGreaterThan(60)
    expect(actions.filter((action) => !/^[a-z_]+\.[a-z_]+$/.test(action))).toEqual([])
    for (const action of actions) await insert(account, action)
    const { status } = await account.admin.call('PATCH', '/accounts/me', { name: '=1+1' })
    expect(status).toBe(200)
    await sweep()
    const received = listReceived(hook)
    const written = ['webhook.created', ...actions, 'account.updated']
    expect(received.map(({ action }) => action)).toEqual(written)
    const listed = (await Promise.all([listEntries(account), listEntries(account, '&to_sequence=2')])).flat()
    const bySequence = new Map(listed.map((entry) => [entry.sequence, entry]))
    for (const entry of received.slice(-90)) expect(entry).toEqual(bySequence.get(entry.sequence))
    const file = await exportLog(account)
    expect(file.map(({ sequence, action }) => [Number(sequence), action])).toEqual(
      written.map((action, index) => [(received[0]?.sequence ?? 0) + index, action]),
    )
    expect(JSON.parse(file.at(-1)?.changes ?? '')).toEqual({ name: { from: expect.any(String), to: '=1+1' } })
    expect((await exportLog(account)).at(-1)).toMatchObject({ action: 'audit_log.exported' })
  })

  it('ACC-27 no cell of the file is run as a formula', async () => {
    const account = await createLastingAccount(service)
    await service.sql(`update users set full_name = '=HYPERLINK("https://evil.example")' where id = $1`, [
      account.admin.id,
    ])
    await insert(account, 'test.created')
    const answer = await account.admin.call('GET', '/accounts/me/audit-logs/export')
    expect(answer.text).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    const { headers } = answer
    expect(headers.get('content-disposition')).toContain('filename="audit-log-1-1.csv"')
  })

  it('ACC-27 entries of 32 writers at once have numbers without gaps', async () => {
    const account = await createLastingAccount(service)
    await Promise.all(range(1, 32).map((n) => account.admin.call('POST', '/teams', { name: `T${n}` })))
    const numbers = (await listEntries(account)).map(({ sequence }) => sequence).toSorted((a, b) => a - b)
    expect(numbers.length).toBeGreaterThan(1)
    expect(numbers).toEqual(range(1, numbers.length))
  })

  it('WHK-18 a burst of 1,000 entries is at most 20 messages', async () => {
    receiver.answer = accept
    const account = await createLastingAccount(service)
    const hook = await listen(account)
    for (let n = 0; n < 500; n++) await insert(account, 'test.created')
    await service.sql(
      `insert into audit_logs (account_id, action, resource_type) select $1, 'test.deleted', 'test' from generate_series(1, 500)`,
      [account.id],
    )
    for (let n = 0; n < 4; n++) await sweep()
    const sequences = listReceived(hook).map(({ sequence }) => sequence)
    expect(sequences).toEqual(range(1, 1001))
    expect(hook.listReceived().length).toBeLessThanOrEqual(20)
  })

  it('WHK-18 messages fit, whatever an entry has changed', async () => {
    receiver.answer = accept
    const account = await createLastingAccount(service)
    const hook = await listen(account)
    for (const length of [7900, 8100, 7900])
      await insert(account, 'test.updated', '0 s', { a: 'x'.repeat(length) })
    await service.sql(
      `insert into audit_logs (account_id, action, resource_type, changes)
       select $1, 'test.updated', 'test', jsonb_build_object('a', repeat(chr(1), 1300)) from generate_series(1, 60)`,
      [account.id],
    )
    for (let n = 0; n < 4; n++) await sweep()
    const received = listReceived(hook)
    expect(received.map(({ sequence }) => sequence)).toEqual(range(1, 64))
    expect(received.slice(1, 4).map(({ changes }) => changes?.a.length)).toEqual([7900, undefined, 7900])
  })

  it('ACC-27 WHK-18 both readers see a gap: entries that retention deleted, and deliveries that were given up', async () => {
    const account = await createLastingAccount(service)
    await insert(account, 'test.created', '800 days')
    await insert(account, 'test.updated', '800 days')
    receiver.answer = (response) => response.writeHead(410).end()
    const hook = await listen(account)
    await service.sql('select app.delete_audit_logs(1000)')
    expect((await exportLog(account)).map(({ sequence }) => sequence)).toEqual(['3'])
    await sweep()
    // The receiver has ended: 3 and 4 are given up, 5 says so, and what follows is missed at once.
    expect(await hook.get()).toMatchObject({ is_active: false, disabled_reason: 'gone' })
    await insert(account, 'test.deleted')
    const missed = [{ first_sequence: 3, last_sequence: 6 }]
    expect((await hook.get()).missed_audit_entries).toEqual(missed)
    const before = hook.listReceived().length
    receiver.answer = accept
    expectStatus(await account.admin.call('PATCH', `/webhooks/${hook.id}`, { is_active: true }), 200)
    await sweep()
    expect(hook.listReceived().slice(before)).toMatchObject([
      { data: { first_sequence: 7, last_sequence: 7, missed, entries: [{ action: 'webhook.updated' }] } },
    ])
    const replay = { failed_since: '2020-01-01T00:00:00.000Z' }
    expectStatus(await account.admin.call('POST', `/webhooks/${hook.id}/replay`, replay), 202)
    await sweep()
    expect((await hook.get()).missed_audit_entries).toEqual([])
    const all = new Set(
      hook.listReceived().flatMap(({ data }) => range(data.first_sequence, data.last_sequence)),
    )
    expect([...all].toSorted((a, b) => a - b).slice(0, 6)).toEqual(range(3, 8))
    expect(
      (await exportLog(account, '?from_sequence=4&to_sequence=5')).map(({ sequence }) => sequence),
    ).toEqual(['4', '5'])
  })

  it('ACC-27 WHK-18 nobody but an account admin exports the log or subscribes to it', async () => {
    const account = await createLastingAccount(service)
    const colleague = await account.addColleague({ teamRole: 'admin' })
    expectStatus(await colleague.call('GET', '/accounts/me/audit-logs/export'), 403)
    const hook = { url: `${receiver.origin}/x`, events: ['audit.recorded'] }
    expectStatus(await colleague.call('POST', '/webhooks', hook), 403)
    for (const query of ['?from_sequence=0', '?to_sequence=x', '?from_sequence=99999999999999999999'])
      expectStatus(await account.admin.call('GET', `/accounts/me/audit-logs/export${query}`), 422)
  })

  it('WHK-18 an erasure of a person removes their address and name from messages that are stored', async () => {
    receiver.answer = accept
    const account = await createLastingAccount(service)
    const hook = await listen(account)
    const person = await account.addColleague({ role: 'admin' })
    await service.sql(
      `insert into audit_logs (account_id, actor_id, action, resource_type, ip) values ($1, $2, 'test.created', 'test', '198.51.100.7')`,
      [account.id, person.id],
    )
    await sweep()
    expect(JSON.stringify(listReceived(hook))).toContain('198.51.100.7')
    expectStatus(await person.call('DELETE', '/auth/me', { email: person.email }), 204)
    await sweep()
    const stored = await service.sql('select payload from webhook_deliveries where webhook_id = $1', [
      hook.id,
    ])
    expect(JSON.stringify(stored)).not.toContain('198.51.100.7')
  })

  it('WHK-18 a person can be erased although the name of a colleague has become too long for a message', async () => {
    receiver.answer = accept
    const account = await createLastingAccount(service)
    const hook = await listen(account)
    const person = await account.addColleague({ role: 'viewer' })
    const changes = JSON.stringify({ note: 'x'.repeat(430) })
    await service.sql(
      `insert into audit_logs (account_id, actor_id, action, resource_type, changes, ip)
       select $1, case when n = 1 then $3::uuid else $2 end, 'test.created', 'test', $4, '198.51.100.7' from generate_series(1, 99) n`,
      [account.id, account.admin.id, person.id, changes],
    )
    await service.sql('update users set full_name = $2 where id = $1', [account.admin.id, '😀'.repeat(100)])
    expectStatus(await person.call('DELETE', '/auth/me', { email: person.email }), 204)
    const [longest] = await service.sql<{ bytes: number }>(
      'select max(octet_length(payload)) as bytes from webhook_deliveries where webhook_id = $1',
      [hook.id],
    )
    expect(longest?.bytes).toBeGreaterThan(20_000)
  })

  it('ACC-27 all entries of a large transaction have numbers without a gap', async () => {
    const account = await createLastingAccount(service)
    await service.sql(
      `insert into audit_logs (account_id, action, resource_type) select $1, 'test.created', 'test' from generate_series(1, 3000)`,
      [account.id],
    )
    const [found] = await service.sql(
      'select count(*)::integer as count, count(sequence)::integer as numbered, max(sequence) - min(sequence) + 1 as span from audit_logs where account_id = $1',
      [account.id],
    )
    expect(found).toMatchObject({ numbered: found?.count, span: String(found?.count) })
  })
})
