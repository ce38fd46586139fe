import { describe, expect, it } from 'vitest'
import { getKeyScope, keyScopes, listSufficientScopes, requireScope } from '#http/key-scopes.ts'
import type { AnyOperation } from '#http/operation.ts'
import type { Problem } from '#problem.ts'

describe('the scope of an API key', () => {
  const operation = (changes: object) =>
    ({ id: 'flows.trees.list', method: 'get', access: 'user', ...changes }) as unknown as AnyOperation
  it.each<[object, string | null]>([
    [{}, 'flows:read'],
    [{ method: 'post' }, 'flows:write'],
    [{ access: 'engineer' }, 'flows:read'],
    [{ access: 'team_admin' }, 'flows:read'],
    [{ access: 'admin' }, null],
    [{ access: 'super_admin' }, null],
    [{ access: 'public' }, null],
    [{ closedToKeys: true }, null],
    [{ closedToKeys: false, stepUp: false, skipGuards: 'none' }, 'flows:read'],
    [{ stepUp: true }, null],
    [{ skipGuards: 'all' }, null],
    [{ id: 'identity.me.get' }, null],
    [{ id: 'search.find' }, 'search:read'],
    [{ id: 'search.find', method: 'post' }, null],
  ])('for an operation with %j is %s', (changes, scope) =>
    expect(getKeyScope(operation(changes))).toBe(scope),
  )
  it('is included in larger scopes', () => {
    expect(listSufficientScopes(operation({}))).toEqual(['flows:read', 'flows:write', '*:read', '*:write'])
    expect(listSufficientScopes(operation({ method: 'post' }))).toEqual(['flows:write', '*:write'])
    expect(listSufficientScopes(operation({ closedToKeys: true }))).toEqual([])
    expect(keyScopes.filter((scope) => /^(\*|search|flows):/.test(scope))).toEqual([
      '*:read',
      '*:write',
      'flows:read',
      'flows:write',
      'search:read',
    ])
  })
  it('is required', () => {
    const refusal = (sufficient: string[], granted: string[]) => {
      try {
        return requireScope(sufficient, granted)
      } catch (error) {
        return [(error as Problem).kind, (error as Problem).body.required_scope]
      }
    }
    expect(refusal(['a:read', 'a:write'], ['b:read', 'a:write'])).toBeUndefined()
    expect(refusal(['a:read', 'a:write'], ['b:read'])).toEqual(['insufficient_scope', 'a:read'])
    expect(refusal([], ['*:write'])).toEqual(['closed_to_keys', undefined])
  })
})
