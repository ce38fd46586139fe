import { expect, it } from 'vitest'
import { operations } from '#functions/operations.ts'
import { createApp } from '#http/app.ts'
import { getKeyScope, keyScopes, keySubjects } from '#http/key-scopes.ts'
import { type AnyOperation, requiresToken } from '#http/operation.ts'
import { mountOperations } from '#http/request.ts'
import { toRouteGroup } from '#http/routes.ts'
import { createNodeServices } from '#platform/node/services.ts'
import { parseNodeConfig } from '#platform/node/settings.ts'
import { createKey } from '#test/support/api-keys.ts'
import { authorizationHeader, sharedService } from '#test/support/app.ts'
import { createAccount } from '#test/support/people.ts'
import { listOnePer } from './cases.ts'
import { createRequestSetup } from './request-setup.ts'
import { send } from './requests.ts'

const service = await sharedService()
const withToken = operations.filter(requiresToken)
const openOperations = withToken.filter((op) => getKeyScope(op) !== null).map((op) => [op.id, op] as const)
const closedOperations = withToken.filter((op) => getKeyScope(op) === null).map((op) => [op.id, op] as const)
const account = await createAccount(service)
const strongestKey = await createKey(service, account, { role: 'admin', scopes: ['*:write', '*:read'] })

/** A request whose path has valid parameters, which lead to no row. */
function toAnySample({ params }: AnyOperation) {
  const id = crypto.randomUUID()
  return { params: Object.fromEntries(Object.keys(params?.shape ?? {}).map((name) => [name, id])) }
}

it('the subjects of keys are subjects of operations, and no scope is without an operation', () => {
  const needed = new Set(openOperations.map(([, op]) => getKeyScope(op)))
  expect(keyScopes.filter((scope) => !scope.startsWith('*') && !needed.has(scope))).toEqual([])
  expect([...keySubjects]).toEqual([...keySubjects].toSorted())
})

it('sign-in, second factors, billing, members, keys, webhooks and administration are closed to keys', () => {
  const closed =
    /^(identity|billing|admin|notifications|feedback|webhooks)\.|^accounts\.(apiKeys|invites|onboarding)\./
  expect(openOperations.filter(([id]) => closed.test(id)).map(([id]) => id)).toEqual([])
  expect(
    openOperations
      .filter(([, { access }]) => access.includes('account_admin') || access.includes('super'))
      .map(([id]) => id),
  ).toEqual([])
})

it.each(openOperations)('KEY-02 KEY-14 %s admits an admin’s key with its scopes alone', async (_, op) => {
  const { account: owner, sample } = await createRequestSetup(service, op)
  const key = await createKey(service, owner, {
    role: 'admin',
    scopes: [getKeyScope(op) ?? '', ...(op.alsoNeeds ?? [])],
  })
  const { status, body } = await send(service, op, sample, { token: key.key })
  expect([401, 403], JSON.stringify(body)).not.toContain(status)
})

it.each(openOperations.filter(([, op]) => op.alsoNeeds))(
  'KEY-14 %s refuses a key without each other scope that it needs',
  async (_, op) => {
    const { account: owner, sample } = await createRequestSetup(service, op)
    for (const missing of op.alsoNeeds ?? []) {
      const others = op.alsoNeeds?.filter((scope) => scope !== missing) ?? []
      const key = await createKey(service, owner, {
        role: 'admin',
        scopes: [getKeyScope(op) ?? '', ...others],
      })
      const { status, body } = await send(service, op, sample, { token: key.key })
      expect([status, body.code, body.required_scope]).toEqual([403, 'insufficient_scope', missing])
    }
  },
)

it.each(listOnePer(openOperations, (op) => getKeyScope(op) ?? ''))(
  'KEY-02 %s returns 403 to a key with every other scope',
  async (_, op) => {
    const needed = getKeyScope(op) ?? ''
    const scopes = keyScopes.filter(
      (scope) => scope !== needed && !scope.startsWith('*') && scope !== needed.replace(':read', ':write'),
    )
    const key = await otherKey(scopes)
    const { status, body } = await send(service, op, toAnySample(op), { token: key.key })
    expect([status, body.code, body.required_scope]).toEqual([403, 'insufficient_scope', needed])
  },
)

it.each(closedOperations)('KEY-03 %s is closed to every key', async (_, op) => {
  const { status, body } = await send(service, op, toAnySample(op), { token: strongestKey.key })
  expect([status, body.code]).toEqual([403, 'closed_to_keys'])
})

it('KEY-05 refuses a malformed key without a call of the database', async () => {
  const services = createNodeServices(parseNodeConfig({ OBJECTS_DIR: 'none', ...service.settings }), {
    log: () => {},
  }).services
  const statements: unknown[] = []
  const run = (all: unknown) => Promise.reject(new Error(String(statements.push(all))))
  const app = createApp(services)
  mountOperations(app, [toRouteGroup(operations)], {
    ...services,
    runtime: { run, begin: run },
    platform: { run, begin: run },
  })
  const call = async (token: string) =>
    (await app.request('/api/v1/trees', { headers: authorizationHeader(token) })).status
  const { key } = strongestKey
  expect(await Promise.all([`${key.slice(0, -1)}!`, key.slice(0, -1), `${key}a`, 'sfk_'].map(call))).toEqual([
    401, 401, 401, 401,
  ])
  expect(statements).toEqual([])
})

const otherKeys = new Map<string, ReturnType<typeof createKey>>()

/** Create a key with these scopes, or return the one that an earlier test has created. */
function otherKey(scopes: string[]) {
  const name = scopes.join(' ')
  const key =
    otherKeys.get(name) ??
    createAccount(service).then((other) => createKey(service, other, { role: 'admin', scopes }))
  otherKeys.set(name, key)
  return key
}
