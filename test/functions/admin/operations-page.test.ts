import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { withSuperuser } from '#local/postgres.ts'
import { startOwnService } from '#test/support/app.ts'
import { useBrowserPages } from '#test/support/browser-pages.ts'
import { night } from '#test/support/night.ts'
import { createAccount, type Person } from '#test/support/people.ts'

const service = await startOwnService()
afterAll(() => service.close())
const openPage = useBrowserPages()
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const url = `${service.api}/admin/operations`

const createStaff = async () => (await createAccount(service)).addColleague({ superAdmin: true })

/** Insert an e-mail that waits an hour for its next attempt, and a webhook that fails. */
async function insertTrouble({ id, accountId }: Person): Promise<{ webhookId: string }> {
  await service.sql(
    `insert into deliveries (account_id, channel, recipient, purpose, user_id, state, attempts, next_attempt_at, last_error)
     values ($1, 'email', 'someone@people.example', 'verify_email', $2, 'retrying', 1, app.now() + interval '1 hour', 'canary')`,
    [accountId, id],
  )
  const [webhook] = await service.sql<{ id: string }>(
    `insert into webhooks (account_id, url, events, secret, failures, failing_since)
     values ($1, 'https://canary.example/secret-path', '{session.completed}', 'canary', 7, app.now() - interval '1 day') returning id`,
    [accountId],
  )
  return { webhookId: webhook?.id ?? '' }
}

/** Send a form as the page does, or as another site would. */
function postForm(path: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  return fetch(url + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers: { origin: service.api, ...headers },
  })
}

it('OBS-11 shows staff the state of the service without what is secret or personal', async () => {
  const staff = await createStaff()
  const { webhookId } = await insertTrouble(staff)
  const status = await staff.client.admin.operations.get()
  expect(status).toMatchObject({
    dependencies: { database: 'ok', redis: 'in_process', mail: 'ok' },
    schedules: { due: 0, oldest_due_seconds: 0 },
    slow_statements: null,
    versions: {
      service: 'local',
      migration: expect.stringMatching(/^\d{4}_/),
      postgresql: expect.stringMatching(/^1[678]\./),
    },
  })
  expect(status.backlogs.find(({ outbox }) => outbox === 'deliveries')?.open).toBeGreaterThan(0)
  expect(status.failing_webhooks).toContainEqual(
    expect.objectContaining({ webhook_id: webhookId, account_id: staff.accountId, failures: 7 }),
  )
  expect(JSON.stringify(status)).not.toMatch(/canary|@/)
})

it('OBS-12 attempts waiting work at once after a replay, and leaves what is leased', async () => {
  const staff = await createStaff()
  await insertTrouble(staff)
  const [leased] = await service.sql<{ id: string }>(
    `insert into deliveries (account_id, channel, recipient, purpose, user_id, state, attempts, next_attempt_at, leased_until)
     values ($1, 'email', 'leased@people.example', 'verify_email', $2, 'retrying', 1, app.now() + interval '1 hour', app.now() + interval '1 hour')
     returning id`,
    [staff.accountId, staff.id],
  )
  const { rows } = await staff.client.admin.operations.replay({ outbox: 'deliveries' })
  expect(rows).toBeGreaterThan(0)
  const countWaiting = async () =>
    (
      await service.sql(
        'select from deliveries where account_id = $1 and next_attempt_at > app.now() + interval $$50 minutes$$',
        [staff.accountId],
      )
    ).length
  await expect.poll(countWaiting).toBe(1)
  expect(await service.sql('select attempts from deliveries where id = $1', [leased?.id])).toEqual([
    { attempts: 1 },
  ])
  const entries = await service.sql('select action, changes from audit_logs where actor_id = $1', [staff.id])
  expect(entries).toMatchObject([
    { action: 'outbox.replayed', changes: { outbox: { to: 'deliveries' }, rows: { to: rows } } },
  ])
})

it('OBS-11 does not fail where pg_stat_statements is installed and PostgreSQL was started without it', async () => {
  const staff = await createStaff()
  const { pathname } = new URL(service.ownerUrl)
  await withSuperuser(inject('shared').postgresPort, pathname.slice(1), (client) =>
    client.query('create extension pg_stat_statements'),
  )
  expect((await staff.client.admin.operations.get()).slow_statements).toBeNull()
})

/** Sign in on the page and return its cookie and its form token. */
async function signInToPage(staff: Person): Promise<{ cookie: string; formToken: string }> {
  const { headers, status } = await postForm('/sign-in', { access_token: staff.token })
  expect([status, headers.get('location')]).toEqual([303, '/admin/operations'])
  const cookie = headers.get('set-cookie') ?? ''
  const html = await (await fetch(url, { headers: { cookie } })).text()
  return { cookie, formToken: /name="token" value="([^"]+)"/.exec(html)?.[1] ?? '' }
}

describe('the page', () => {
  it('OBS-13 keeps the token in a cookie that no script and no other path gets', async () => {
    const { cookie } = await signInToPage(await createStaff())
    expect(cookie).toMatch(
      /^operations_token=[\w.-]+; Path=\/admin\/operations; Max-Age=900; HttpOnly; SameSite=Lax$/,
    )
    const signedOut = await postForm('/sign-out', {}, { cookie })
    expect(signedOut.headers.get('set-cookie')).toMatch(/^operations_token=; .*Max-Age=0/)
  })

  it('OBS-13 allows no script and nothing from elsewhere, and is not cached', async () => {
    const { headers } = await fetch(url)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect([headers.get('cache-control'), headers.get('content-type')]).toEqual([
      'no-store',
      'text/html; charset=utf-8',
    ])
  })

  it('OBS-13 shows nothing to somebody who is not staff', async () => {
    const { admin } = await createAccount(service)
    const { headers } = await postForm('/sign-in', { access_token: admin.token })
    const answer = await fetch(url, { headers: { cookie: headers.get('set-cookie') ?? '' } })
    const html = await answer.text()
    expect([answer.status, html.includes('Dependencies'), html.includes('role="alert"')]).toEqual([
      403,
      false,
      true,
    ])
  })

  it('OBS-13 answers JSON with the token of a program or of the cookie', async () => {
    const staff = await createStaff()
    const { cookie } = await signInToPage(staff)
    const read = async (headers: Record<string, string>) => {
      const answer = await fetch(url, { headers: { accept: 'application/json', ...headers } })
      return [answer.status, Object.hasOwn((await answer.json()) as object, 'backlogs')]
    }
    expect(await read({ cookie })).toEqual([200, true])
    expect(await read({ authorization: `Bearer ${staff.token}` })).toEqual([200, true])
    expect(await read({})).toEqual([401, false])
  })

  it.each([
    ['without the token of the form', { token: '' }, {}],
    ['with the token of another person', { token: 'other' }, {}],
    ['from another site', {}, { origin: 'https://evil.example' }],
    ['without an origin', {}, { origin: 'null' }],
  ])('OBS-13 refuses a replay %s', async (_, fields, headers) => {
    const staff = await createStaff()
    const { cookie, formToken } = await signInToPage(staff)
    const answer = await postForm(
      '/replay',
      { outbox: 'deliveries', token: formToken, ...fields },
      { cookie, ...headers },
    )
    expect(answer.status).toBe(403)
    expect(await service.sql('select from audit_logs where actor_id = $1', [staff.id])).toEqual([])
  })

  it('OBS-13 refuses what is no token, no outbox and no form', async () => {
    const { cookie, formToken } = await signInToPage(await createStaff())
    const replay = (outbox: string) => postForm('/replay', { outbox, token: formToken }, { cookie })
    const answers = [
      await postForm('/sign-in', { access_token: 'a b; Path=/' }),
      await replay('users; drop table users'),
      await replay('live_events'),
      await postForm('/sign-in', { access_token: 'x'.repeat(20_000) }),
      await fetch(url, { method: 'DELETE' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 413, 405])
  })

  for (const colorScheme of ['light', 'dark'] as const)
    it(
      `OBS-13 shows the state in a narrow ${colorScheme} window, without an obstacle that axe finds, and replays`,
      night,
      async (context) => {
        const staff = await createStaff()
        await insertTrouble(staff)
        const { page, problems } = await openPage(context, {
          colorScheme,
          viewport: { width: 400, height: 800 },
        })
        const findViolations = async () => {
          await page.evaluate(axe)
          const run = () =>
            (window as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } }).axe.run()
          return (await page.evaluate(run)).violations.map(({ id }) => id)
        }
        await page.goto(url)
        expect(await findViolations()).toEqual([])
        await page.getByLabel('Access token of a super admin').fill(staff.token)
        await page.getByRole('button', { name: 'Show the state of the service' }).click()
        await page.getByRole('heading', { name: 'Dependencies' }).waitFor()
        expect([page.url(), await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([
          url,
          400,
        ])
        expect(await findViolations()).toEqual([])
        await page.getByRole('button', { name: 'Attempt now: deliveries' }).click()
        await expect
          .poll(() => page.getByRole('status').textContent())
          .toMatch(/^deliveries: \d+ rows are due now\.$/)
        if (process.env.SCREENSHOT)
          await page.screenshot({ path: `${process.env.SCREENSHOT}-${colorScheme}.png`, fullPage: true })
        expect(problems).toEqual([])
      },
    )
})
