import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseConfig } from '#config.ts'
import { root } from '#local/root.ts'
import { rotateCredentialsKeys, rotateJwtKeys, rotateKeys } from '#ops/rotate-secrets.ts'
import { sampleSettings } from '#test/support/settings.ts'

describe('the rotation of keys', () => {
  it.each([
    ['add', ['a'], ['a', 'new']],
    ['promote', ['a', 'b'], ['b', 'a']],
    ['remove', ['a', 'b'], ['a']],
  ] as const)('does the step %s with %j', (step, keys, next) =>
    expect(rotateKeys<string>(keys, step, () => 'new')).toEqual(next),
  )
  it.each([
    ['add', ['a', 'b'], 'There are two keys already. Promote or remove one first.'],
    ['promote', ['a'], 'There is only one key. Add one first.'],
    ['remove', ['a'], 'There is only one key. Add one first.'],
    ['add', [], 'There must be one key, or two during a rotation.'],
    ['remove', ['a', 'b', 'c'], 'There must be one key, or two during a rotation.'],
  ] as const)('refuses the step %s with %j', (step, keys, message) => {
    expect(() => rotateKeys<string>(keys, step, () => 'new')).toThrow(new Error(message))
  })
  it('creates keys that the settings accept, with the next name', () => {
    const jwt = rotateJwtKeys(
      JSON.stringify([{ kid: 'a', secret: 's'.repeat(32) }]),
      'add',
      new Date('2026-11-23T09:00:00.500Z'),
    )
    const credentials = rotateCredentialsKeys(
      JSON.stringify([{ version: 4, key: `${'A'.repeat(43)}=` }]),
      'add',
    )
    const { JWT_KEYS, CREDENTIALS_KEY } = parseConfig({
      ...sampleSettings,
      JWT_KEYS: jwt,
      CREDENTIALS_KEY: credentials,
    })
    expect(JWT_KEYS.map(({ kid, secret }) => [kid, secret.length])).toEqual([
      ['a', 32],
      ['2026-11-23T09:00:00', 64],
    ])
    expect(CREDENTIALS_KEY.map(({ version }) => version)).toEqual([4, 5])
  })
})

it.each([
  ['', 'JWT_KEYS: is missing'],
  ['secret-of-mine', 'JWT_KEYS: must be a JSON list of one or two {kid, secret}'],
])('OPS-12 the command names the setting that it cannot exchange: %j', (JWT_KEYS, message) => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'lib/ops/rotate-secrets.ts'), 'rotate', 'jwt', 'add'],
    { encoding: 'utf8', env: { JWT_KEYS } },
  )
  expect([status, stderr]).toEqual([1, expect.stringContaining(message)])
  expect(stderr).not.toContain('secret-of-mine')
})
