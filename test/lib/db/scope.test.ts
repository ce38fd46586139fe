import { describe, expect, it } from 'vitest'
import type { Database, Statement } from '#db/database.ts'
import { openAccountScope, openScope, type ScopeOptions } from '#db/scope.ts'
import { uuidv7 } from '#db/uuid.ts'

const caller = { userId: 'u', accountId: 'a', signInId: 's' }
const options: ScopeOptions = { caller, access: 'user', skipGuards: 'none', ip: '1.1.1.1', readOnly: true }
const key = { ...caller, key: { hash: '\\x01' } }

function createDatabase() {
  const calls: { statements: readonly Statement[]; readOnly: boolean }[] = []
  const database = {
    run: async (statements: readonly Statement[], { readOnly }: { readOnly: boolean }) => {
      calls.push({ statements, readOnly })
      return statements.map((_, index) => ({ rows: [{ index }], rowCount: 1 }))
    },
  } as unknown as Database
  return { calls, database }
}
const open = (changes: Partial<ScopeOptions>) => {
  const { calls, database } = createDatabase()
  return { calls, scope: openScope(database, { ...options, ...changes }, () => {}) }
}

const enterArguments = ['p_user', 'p_account', 'p_sign_in', 'p_access', 'p_past', 'p_ip', 'p_feature']
const keyArguments = [
  'p_account',
  'p_key',
  'p_hash',
  'p_scopes',
  'p_access',
  'p_past',
  'p_feature',
  'p_address',
]

describe('the statement that admits a caller', () => {
  it.each<[Partial<ScopeOptions>, string, unknown[]]>([
    [{}, 'app.enter', ['u', 'a', 's', 'user', 'none', '1.1.1.1']],
    [{ skipGuards: 'account' }, 'app.enter', ['u', 'a', 's', 'user', 'guards', '1.1.1.1']],
    [{ skipGuards: 'mfa' }, 'app.enter', ['u', 'a', 's', 'user', 'mfa', '1.1.1.1']],
    [{ skipGuards: 'all' }, 'app.enter', ['u', 'a', 's', 'user', 'password', '1.1.1.1']],
    [
      { access: 'super_admin', superAdminMfa: true },
      'app.enter',
      ['u', 'a', 's', 'super_admin_mfa', 'none', '1.1.1.1'],
    ],
    [
      { access: 'account_or_super_admin', superAdminMfa: true },
      'app.enter',
      ['u', 'a', 's', 'account_or_super_admin_mfa', 'none', '1.1.1.1'],
    ],
    [
      { access: 'super_admin', superAdminMfa: false },
      'app.enter',
      ['u', 'a', 's', 'super_admin', 'none', '1.1.1.1'],
    ],
    [
      { access: 'account_admin', superAdminMfa: true },
      'app.enter',
      ['u', 'a', 's', 'account_admin', 'none', '1.1.1.1'],
    ],
    [{ feature: 'kb_import' }, 'app.enter_feature', ['u', 'a', 's', 'user', 'none', '1.1.1.1', 'kb_import']],
    [{ stepUp: true }, 'app.enter_with_step_up', ['u', 'a', 's', 'user', 'none', '1.1.1.1', null]],
    [
      { stepUp: true, feature: 'kb_import' },
      'app.enter_with_step_up',
      ['u', 'a', 's', 'user', 'none', '1.1.1.1', 'kb_import'],
    ],
    [{ caller: key }, 'app.enter_key', ['a', 'u', '\\x01', [], 'user', 'none', null, '1.1.1.1']],
    [
      { caller: key, ip: '::ffff:10.0.0.1', keyScopes: ['a:read', '*:read'], feature: 'kb_import' },
      'app.enter_key',
      ['a', 'u', '\\x01', ['a:read', '*:read'], 'user', 'none', 'kb_import', '10.0.0.1'],
    ],
    [
      { caller: { ...caller, key: { hash: '\\x01', isAddressChecked: true } } },
      'app.enter_key',
      ['a', 'u', '\\x01', [], 'user', 'none', null, null],
    ],
  ])('with %j is %s', async (changes, name, parameters) => {
    const { calls, scope } = open(changes)
    await scope.checkAccess()
    const names = name === 'app.enter_key' ? keyArguments : enterArguments
    const list = parameters.map((_, index) => `${names[index]} => $${index + 1}`).join(', ')
    expect(calls).toEqual([{ statements: [{ sql: `select ${name}(${list})`, parameters }], readOnly: true }])
  })
  it('names an account without a caller', async () => {
    const { calls, database } = createDatabase()
    await openAccountScope(database, 'a', null, () => {}).checkAccess()
    expect(calls).toEqual([
      {
        statements: [
          { sql: 'select app.enter_account(p_account => $1, p_actor => $2)', parameters: ['a', null] },
        ],
        readOnly: false,
      },
    ])
  })
})

describe('a SQL function that admits its caller', () => {
  it('gets the arguments of app.enter before its own, and may write', async () => {
    const { calls, scope } = open({})
    expect(await scope.callFunction('app.list_notifications', { p_skip: 5, p_limit: 7 })).toEqual({
      index: 0,
    })
    const list = [...enterArguments.slice(0, 6), 'p_skip', 'p_limit']
      .map((name, index) => `${name} => $${index + 1}`)
      .join(', ')
    expect(calls).toEqual([
      {
        statements: [
          {
            sql: `select * from app.list_notifications(${list})`,
            parameters: ['u', 'a', 's', 'user', 'none', '1.1.1.1', 5, 7],
          },
        ],
        readOnly: false,
      },
    ])
  })
  it('runs after app.enter_key for an API key, and its row is returned', async () => {
    const { calls, scope } = open({ caller: key })
    expect(await scope.callFunction('app.count_unread', {})).toEqual({ index: 1 })
    expect(calls[0]?.statements.map(({ sql }) => sql.replace(/\(.*/, ''))).toEqual([
      'select app.enter_key',
      'select * from app.count_unread',
    ])
  })
})

describe('a scope', () => {
  it('has admitted its caller after a statement that succeeded', async () => {
    const { scope } = open({})
    expect(scope.isAdmitted).toBe(false)
    await scope.checkAccess()
    expect(scope.isAdmitted).toBe(true)
    const failing = openScope(
      { run: () => Promise.reject(new Error('no')) } as unknown as Database,
      options,
      () => {},
    )
    await expect(failing.checkAccess()).rejects.toThrow('no')
    expect(failing.isAdmitted).toBe(false)
  })
  it('runs a batch after the statement that admits, and returns the rows of the batch alone', async () => {
    const { calls, scope } = open({ readOnly: false })
    const query = { compile: () => ({ sql: 'select 1', parameters: [] }) } as never
    expect(await scope.db.batch([query, query])).toEqual([[{ index: 1 }], [{ index: 2 }]])
    expect([calls.length, calls[0]?.readOnly, calls[0]?.statements.length]).toEqual([1, false, 3])
  })
})

it('uuidv7 starts with the time and has the version 7', () => {
  const id = uuidv7(Date.parse('2026-11-23T09:00:00.500Z'))
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(
    Date.parse('2026-11-23T09:00:00.500Z'),
  )
  expect(uuidv7(1.9).slice(0, 13)).toBe('00000000-0001')
})
