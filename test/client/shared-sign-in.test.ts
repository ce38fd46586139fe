// @module-tag behaviour
import { expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type Tokens } from '#client/client.ts'
import { createKey } from '#test/support/api-keys.ts'
import { sharedService } from '#test/support/app.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createInterceptor, type Intercept, recordWaits } from './interceptor.ts'

const service = await sharedService()

/** Tokens whose access token names the sign-in, but is refused because its signature is wrong. */
async function createRefusedTokens(owner: Person): Promise<Tokens> {
  const refresh_token = crypto.randomUUID()
  await service.sql('insert into refresh_tokens (hash, sign_in_id) values (sha256($1::bytea), $2)', [
    refresh_token,
    owner.signInId,
  ])
  return { access_token: `${owner.token.slice(0, -8)}refused0`, refresh_token }
}

/** Open clients as tabs of one browser, which store their tokens in one place. */
async function openTabs(count: number, intercept?: Intercept) {
  const { admin } = await createAccount(service)
  const { waits, wait: recordWait } = recordWaits()
  const pause = { until: async (): Promise<unknown> => undefined }
  const wait: typeof recordWait = async (...call) => {
    await recordWait(...call)
    await pause.until()
  }
  const interceptor = createInterceptor(service, intercept)
  const storage: { tokens: Tokens | null } = { tokens: await createRefusedTokens(admin) }
  const options = {
    baseUrl: service.api,
    fetch: interceptor.fetch,
    wait,
    loadTokens: () => storage.tokens,
    onTokens: (tokens: Tokens | null) => {
      storage.tokens = tokens
    },
  }
  return {
    admin,
    storage,
    waits,
    pause,
    tabs: Array.from({ length: count }, () => createClient(options)),
    ...interceptor,
  }
}

it('starts with the stored tokens', async () => {
  const { tabs, storage } = await openTabs(1)
  expect(tabs[0]?.getTokens()).toBe(storage.tokens)
})

it('refreshes once for five tabs that store their tokens in one place', async () => {
  const { admin, tabs, storage, countCalls } = await openTabs(5)
  const answers = await Promise.all(tabs.map((tab) => tab.identity.auth.getMe()))
  expect(answers.map(({ id }) => id)).toEqual(Array(5).fill(admin.id))
  expect(countCalls('/auth/refresh')).toBe(1)
  for (const tab of tabs) expect(tab.getTokens()).toEqual(storage.tokens)
})

it('takes the tokens of the tab that was faster where the browser has no locks', async () => {
  vi.stubGlobal('navigator', {})
  onTestFinished(() => void vi.unstubAllGlobals())
  const { admin, tabs, storage, waits, pause, countCalls } = await openTabs(2)
  const refused = storage.tokens
  // In a second, the other tab has stored its tokens.
  pause.until = () => vi.waitUntil(() => storage.tokens !== refused, { timeout: 30_000 })
  const answers = await Promise.all(tabs.map((tab) => tab.identity.auth.getMe()))
  expect(answers.map(({ id }) => id)).toEqual([admin.id, admin.id])
  expect([countCalls('/auth/refresh'), waits]).toEqual([2, [1000]])
  for (const tab of tabs) expect(tab.getTokens()).toEqual(storage.tokens)
})

it('does not repeat a call with the tokens of another user who has signed in meanwhile', async () => {
  const { admin, tabs, storage } = await openTabs(1)
  const other = (await createAccount(service)).admin
  storage.tokens = { access_token: other.token, refresh_token: 'unused' }
  expect((await tabs[0]?.identity.auth.getMe())?.id).toBe(admin.id)
})

it('forgets the stored tokens when the refresh is refused in every tab', async () => {
  const { tabs, storage } = await openTabs(2)
  await service.sql('delete from refresh_tokens where hash = sha256($1::bytea)', [
    storage.tokens?.refresh_token,
  ])
  const answers = await Promise.allSettled(tabs.map((tab) => tab.identity.auth.getMe()))
  expect(answers).toMatchObject(Array(2).fill({ status: 'rejected', reason: { status: 401 } }))
  expect([storage.tokens, ...tabs.map((tab) => tab.getTokens())]).toEqual([null, null, null])
})

it('sends an API key with every call that needs one, and never refreshes it', async () => {
  const { requests, fetch } = createInterceptor(service, ({ url }) =>
    url.endsWith('/auth/me') ? Response.json({ detail: 'No' }, { status: 401 }) : undefined,
  )
  const client = createClient({ baseUrl: service.api, apiKey: 'sfk_example', fetch })
  await expect(client.identity.auth.getMe()).rejects.toMatchObject({ status: 401 })
  await client.public.listPlans()
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer sfk_example', null])
})

it('calls the service with an API key', async () => {
  const account = await createAccount(service)
  const { key } = await createKey(service, account, { scopes: ['accounts:read'] })
  const client = createClient({ baseUrl: service.api, apiKey: key, fetch: createInterceptor(service).fetch })
  expect(await client.accounts.teams.list()).toMatchObject([{ id: account.teamId }])
  await expect(client.sessions.list()).rejects.toMatchObject({ status: 403, code: 'insufficient_scope' })
})

it('creates the URL with which an EventSource opens the stream', async () => {
  const { admin } = await createAccount(service)
  const client = createClient({ baseUrl: service.api, fetch: createInterceptor(service).fetch })
  client.setTokens({ access_token: admin.token, refresh_token: 'unused' })
  const url = await client.ai.escalations.stream.createUrl({ last_event_id: '7' })
  expect(url).toMatch(/\/api\/v1\/ai-sessions\/escalations\/stream\?last_event_id=7&ticket=[\w-]{43}$/)
  const response = await fetch(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  await response.body?.cancel()
})
