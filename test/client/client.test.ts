import { expect, it } from 'vitest'
import { type ApiError, createClient, isApiError, type Tokens } from '#client/client.ts'
import { insertRefreshToken } from '#test/contract/fixture-rows.ts'
import { createAiSession } from '#test/support/ai.ts'
import { sharedService } from '#test/support/app.ts'
import { createEscalation } from '#test/support/escalations.ts'
import { createFlow, printerFlow } from '#test/support/flows.ts'
import { createImage } from '#test/support/images.ts'
import { createAccount, type Person } from '#test/support/people.ts'
import { createInterceptor, type Intercept, recordWaits } from './interceptor.ts'

const service = await sharedService()

async function createSignedInClient(intercept?: Intercept, person?: Person) {
  const owner = person ?? (await createAccount(service)).admin
  const interceptor = createInterceptor(service, intercept)
  const { waits, wait } = recordWaits()
  const tokens = { access_token: owner.token, refresh_token: await insertRefreshToken(service, owner) }
  const changes: (Tokens | null)[] = []
  const client = createClient({
    baseUrl: service.api,
    tokens,
    wait,
    fetch: interceptor.fetch,
    onTokens: (next) => changes.push(next),
  })
  return { client, owner, tokens, changes, waits, ...interceptor }
}

const catchError = (promise: PromiseLike<unknown>): Promise<ApiError> =>
  Promise.resolve(promise).then(
    () => expect.unreachable('The call succeeded'),
    (error: ApiError) => error,
  )
const refuse = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ detail: 'No' }, { status, headers })

it('sends path fields, query and body of one input object', async () => {
  const { client, owner } = await createSignedInClient()
  const team = await client.accounts.teams.create({ name: 'Night shift' })
  const renamed = await client.accounts.teams.rename({ team_id: team.id, name: 'Day shift' })
  expect(renamed).toMatchObject({ id: team.id, name: 'Day shift' })
  expect(await client.accounts.teams.list({ skip: 1, limit: 1 })).toHaveLength(1)
  expect(await client.accounts.teams.delete({ team_id: team.id })).toBeUndefined()
  expect((await client.identity.auth.getMe()).id).toBe(owner.id)
})

it.each(['..', '.', ''])('refuses the id "%s" before it sends a request', async (team_id) => {
  const { client, requests } = await createSignedInClient()
  await expect(client.accounts.teams.delete({ team_id })).rejects.toThrow(
    'accounts.teams.delete needs team_id',
  )
  expect(requests).toEqual([])
})

it('throws an error with the code, the status and the request id of the answer', async () => {
  const { client } = await createSignedInClient()
  const error = await catchError(client.psa.tickets.search())
  expect(isApiError(error, 'psa.tickets.search')).toBe(true)
  expect(error).toMatchObject({
    status: 409,
    code: 'psa_not_connected',
    errors: [],
    requestId: expect.stringMatching(/./),
  })
})

it('throws an error with the invalid fields', async () => {
  const { client } = await createSignedInClient()
  const error = await catchError(client.accounts.teams.create({ name: '' }))
  expect(error).toMatchObject({ status: 422, code: null, errors: [{ loc: ['body', 'name'] }] })
})

it('throws an error with the status when a proxy answers something other than JSON', async () => {
  const { client } = await createSignedInClient(() => new Response('<h1>Bad gateway</h1>', { status: 502 }))
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 502, code: null, body: {} })
})

it('refreshes the tokens once for parallel calls and repeats them', async () => {
  const { client, owner, tokens, changes, countCalls } = await createSignedInClient()
  client.setTokens({ ...tokens, access_token: 'expired' })
  const answers = await Promise.all([1, 2, 3].map(() => client.identity.auth.getMe()))
  expect(answers.map(({ id }) => id)).toEqual([owner.id, owner.id, owner.id])
  expect(countCalls('/auth/refresh')).toBe(1)
  expect(changes.at(-1)).toEqual(client.getTokens())
})

it('sends the same Idempotency-Key after a refresh', async () => {
  const { client, tokens, requests } = await createSignedInClient()
  client.setTokens({ ...tokens, access_token: 'expired' })
  await client.accounts.teams.create({ name: 'Night shift' })
  const [first, , last] = requests.map(({ headers }) => headers.get('idempotency-key'))
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(last).toBe(first)
})

it('forgets the tokens and throws the 401 when the refresh is refused', async () => {
  const { client, changes } = await createSignedInClient()
  client.setTokens({ access_token: 'expired', refresh_token: 'unknown' })
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 401 })
  expect([client.getTokens(), changes.at(-1)]).toEqual([null, null])
})

it('keeps the tokens when the refresh fails for another reason', async () => {
  const { client, tokens } = await createSignedInClient(({ url }) =>
    url.endsWith('/auth/refresh') ? refuse(500) : undefined,
  )
  const expired = { ...tokens, access_token: 'expired' }
  client.setTokens(expired)
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 500 })
  expect(client.getTokens()).toEqual(expired)
})

it('keeps a sign-out that happens during a refresh', async () => {
  const { client, tokens } = await createSignedInClient(({ url }) => {
    if (url.endsWith('/auth/refresh')) client.setTokens(null)
    return undefined
  })
  client.setTokens({ ...tokens, access_token: 'expired' })
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 401 })
  expect(client.getTokens()).toBeNull()
})

it('stores the tokens of a refresh by the caller and forgets them after a sign-out', async () => {
  const { client, tokens } = await createSignedInClient()
  await client.identity.auth.refresh({ refresh_token: tokens.refresh_token })
  const next = client.getTokens() as Tokens
  expect(next.refresh_token).not.toBe(tokens.refresh_token)
  await client.identity.auth.logout({ refresh_token: next.refresh_token })
  expect(client.getTokens()).toBeNull()
})

it('waits for Retry-After and repeats a POST with the same key after 429 and 503', async () => {
  const { client, waits, requests } = await createSignedInClient((_, index) => {
    if (index === 0) return refuse(429, { 'retry-after': '2' })
    return index === 1 ? refuse(503, { 'retry-after': '1' }) : undefined
  })
  await client.accounts.teams.create({ name: 'Night shift' })
  expect(waits).toEqual([2000, 1000])
  expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
})

it('CLI-06 waits for Retry-After when the first request with its key is still running, and gives up after two repetitions', async () => {
  const inUse = () =>
    Response.json(
      { detail: 'No', code: 'idempotency_key_in_use' },
      { status: 409, headers: { 'retry-after': '1' } },
    )
  const { client, waits, requests } = await createSignedInClient((_, index) =>
    index === 0 ? inUse() : undefined,
  )
  await client.accounts.teams.create({ name: 'Night shift' })
  expect([waits, new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size]).toEqual([
    [1000],
    1,
  ])
  const busy = await createSignedInClient(inUse)
  expect(await catchError(busy.client.accounts.teams.create({ name: 'A' }))).toMatchObject({
    code: 'idempotency_key_in_use',
  })
  expect(busy.requests).toHaveLength(3)
})

it('does not repeat another 409', async () => {
  const { client, requests } = await createSignedInClient(() => refuse(409, { 'retry-after': '1' }))
  expect(await catchError(client.accounts.teams.create({ name: 'A' }))).toMatchObject({ status: 409 })
  expect(requests).toHaveLength(1)
})

it('CLI-07 shows the headers of an answer, such as whether it repeats that of an earlier request', async () => {
  const { client } = await createSignedInClient()
  const replays: (string | null)[] = []
  const options = {
    idempotencyKey: 'night-shift',
    onHeaders: (headers: Headers) => void replays.push(headers.get('idempotent-replayed')),
  }
  const first = await client.accounts.teams.create({ name: 'Night shift' }, options)
  const again = await client.accounts.teams.create({ name: 'Night shift' }, options)
  expect([again.id, replays]).toEqual([first.id, [null, 'true']])
})

it('gives up after two repetitions', async () => {
  const { client, requests } = await createSignedInClient(() => refuse(503, { 'retry-after': '1' }))
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 503, retryAfterMs: 1000 })
  expect(requests).toHaveLength(3)
})

it.each([{ 'retry-after': '3600' }, {}])('throws a 429 at once with the headers %j', async (headers) => {
  const { client, requests } = await createSignedInClient(() =>
    refuse(429, headers as Record<string, string>),
  )
  expect(await catchError(client.identity.auth.getMe())).toMatchObject({ status: 429 })
  expect(requests).toHaveLength(1)
})

it('does not repeat a PATCH after a 503, because the service may have done the work', async () => {
  const { client, requests } = await createSignedInClient(() => refuse(503, { 'retry-after': '1' }))
  expect(await catchError(client.accounts.update({ name: 'New name' }))).toMatchObject({ status: 503 })
  expect(requests).toHaveLength(1)
})

it('iterates over the items of all pages', async () => {
  const { client, countCalls } = await createSignedInClient()
  for (const name of ['A', 'B', 'C', 'D']) await client.accounts.teams.create({ name })
  const names: string[] = []
  for await (const { name } of client.accounts.teams.list({ limit: 2 })) names.push(name)
  expect(names.toSorted()).toEqual(['A', 'B', 'C', 'D', 'Test team'])
  expect(countCalls('/teams')).toBe(4 + 3)
})

it('follows only the query of a Link, so that the token does not go to another origin', async () => {
  const { client, requests } = await createSignedInClient((_, index) =>
    index === 0
      ? Response.json([], { headers: { link: '<https://attacker.example/steal?skip=50>; rel="next"' } })
      : undefined,
  )
  for await (const team of client.accounts.teams.list()) expect(team).toBeDefined()
  expect(requests.map(({ url }) => url)).toEqual([
    `${service.api}/api/v1/teams`,
    `${service.api}/api/v1/teams?skip=50`,
  ])
})

it('CLI-09 yields the pages of a list, each from the item after the last one', async () => {
  const { client, owner, requests } = await createSignedInClient()
  for (const name of ['A', 'B', 'C']) await createFlow(owner, { name })
  requests.length = 0
  const names: string[][] = []
  for await (const flows of client.flows.trees.list({ limit: 2, author_id: owner.id }).pages())
    names.push(flows.map(({ name }) => name))
  expect(names.map(({ length }) => length)).toEqual([2, 1])
  expect(new Set(names.flat())).toEqual(new Set(['A', 'B', 'C']))
  expect(requests.map(({ url }) => /[?&]skip=/.test(url))).toEqual([false, false])
})

it('CLI-08 downloads a File with the name that the service gives it', async () => {
  const { client, owner } = await createSignedInClient()
  const { id: tree_id } = await createFlow(owner, {
    name: 'Drucker fällt aus',
    tree_structure: printerFlow(),
  })
  const file = await client.flows.markdown.export({ tree_id })
  expect([file.name, file.type, (await file.text()).includes('Drucker')]).toEqual([
    'drucker-fällt-aus.md',
    'text/markdown;charset=utf-8',
    true,
  ])
})

it('uploads a file and downloads it without a name', async () => {
  const { client } = await createSignedInClient()
  const file = new Blob([await createImage('png', 4, 4)])
  const { id } = await client.uploads.create({ file, filename: 'photo.png' })
  const image = await client.uploads.get({ upload_id: id })
  expect([image.name, image.type, image.size > 0]).toEqual(['', 'image/jpeg', true])
})

it('gets a task instead of the answer with `background`', async () => {
  const { client, owner } = await createSignedInClient()
  const { id } = await createAiSession(owner)
  const task = await client.ai.turns.sendMessage(
    { session_id: id, message: 'It is offline' },
    { background: true },
  )
  expect(task).toEqual({ task_id: expect.any(String), state: 'queued' })
})

it('streams an answer that ends with the message', async () => {
  const { client, owner } = await createSignedInClient()
  const { id } = await createAiSession(owner)
  const names: string[] = []
  for await (const { event } of client.ai.turns.sendMessage.stream({
    session_id: id,
    message: 'It is offline',
  }))
    names.push(event)
  expect([names[0], names.at(-1)]).toEqual(['delta', 'message'])
})

it('receives an escalation over HTTP, and ends when the signal aborts', async () => {
  const { admin, addColleague } = await createAccount(service)
  const tokens = { access_token: admin.token, refresh_token: 'unused' }
  const abort = new AbortController()
  const opened = Promise.withResolvers<void>()
  const openStream = (request: Request) => fetch(request).finally(opened.resolve)
  const stream = createClient({ baseUrl: service.api, tokens, fetch: openStream }).ai.escalations.stream(
    {},
    { signal: abort.signal },
  )
  const first = stream.next()
  await opened.promise
  const { handoffId } = await createEscalation(await addColleague())
  expect(await first).toMatchObject({
    value: { event: 'handoff_created', id: expect.stringMatching(/^\d+$/), data: { handoff_id: handoffId } },
  })
  const second = stream.next()
  abort.abort(new Error('Left the page'))
  await expect(second).rejects.toThrow('Left the page')
})

it('ends a call when its signal aborts', async () => {
  const { client } = await createSignedInClient()
  const signal = AbortSignal.abort(new Error('Left the page'))
  await expect(client.accounts.teams.create({ name: 'A' }, { signal })).rejects.toThrow('Left the page')
})
