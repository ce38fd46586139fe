import { describe, expect, it } from 'vitest'
import { findPasswordWeakness, isOutdatedHash } from '#vendors/auth/passwords.ts'

describe('a password', () => {
  it.each([
    ['xx-ada@example.com-yy', 'ada@example.com', 'must not contain the e-mail address'],
    ['my-LOVELACE-9', 'Lovelace@example.com', 'must not contain the e-mail address'],
    ['long-adas-secret', 'adas@example.com', 'must not contain the e-mail address'],
    ['long-ada-secret', 'ada@example.com', null],
    ['Password123', 'ada@example.com', 'must not be a common password'],
    ['correct horse battery', 'ada@example.com', null],
  ])('%j of %s is weak: %j', (password, email, weakness) =>
    expect(findPasswordWeakness(password, email)).toBe(weakness),
  )
  it.each([
    ['$argon2id$v=19$m=19456,t=2,p=1$salt$hash', false],
    ['$argon2id$v=19$m=19456,t=3,p=1$salt$hash', true],
    ['$argon2i$v=19$m=19456,t=2,p=1$salt$hash', true],
  ])('has an outdated hash %s: %s', (hash, isOutdated) => expect(isOutdatedHash(hash)).toBe(isOutdated))
})
