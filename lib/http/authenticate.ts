import { toCallStatement } from '#db/call-function.ts'
import type { Caller, Scope } from '#db/scope.ts'
import { Problem } from '#problem.ts'
import { toAddressBlock } from '#rules/text/address-block.ts'
import { isApiKey, parseApiKey } from '#vendors/auth/api-keys.ts'
import { sha256Bytea } from '#vendors/auth/hash.ts'
import type { ParsedRate } from '#vendors/cache/limiter.ts'
import type { C, Services } from './app.ts'
import type { KeyMemory } from './key-memory.ts'
import type { AnyOperation } from './operation.ts'
import { createRateLimitProblem } from './rate-limit.ts'
import { readSocketAuthorization } from './socket-request.ts'
import { authenticateTicket } from './stream-ticket.ts'

const floodRate: ParsedRate = { max: 300, windowMs: 60_000, unit: 'minute', perAddress: true }

/**
 * Return the caller that an access token or an API key names. Throw 401 without either. Only the scope tells
 * whether a sign-in has ended, and whether a key is valid at all.
 */
export async function authenticate(
  c: C,
  op: AnyOperation,
  keys: KeyMemory,
  services: Services,
): Promise<Caller> {
  return requireCaller(c, await readCaller(c, op, services), keys, services)
}

/**
 * Return the caller of a credential. Throw 401 without one, and 429 for an address that sends too many such
 * calls.
 */
export async function requireCaller(
  c: C,
  caller: Caller | null,
  keys: KeyMemory,
  services: Services,
): Promise<Caller> {
  // Anybody can write a key with a right checksum, so calls with an unknown key count as those without one
  // before they reach the database.
  if (!caller || (caller.key && !keys.isKnown(caller.key.hash))) await countUnauthenticated(c, services)
  if (!caller) throw new Problem('unauthenticated')
  c.set('caller', caller)
  return caller
}

async function readCaller(c: C, op: AnyOperation, services: Services): Promise<Caller | null> {
  const authorization =
    c.req.header('authorization') ?? (op.transport?.acceptsSocket && readSocketAuthorization(c.req.raw)) ?? ''
  if (op.transport?.acceptsTicket && !authorization) return authenticateTicket(c, services)
  const credential = readBearer(authorization)
  return isApiKey(credential) ? readKey(credential) : services.ports.tokens.verify(credential)
}

/** Return the credential of an `Authorization` header, or an empty text. */
export function readBearer(authorization: string): string {
  return /^Bearer +([\w.-]+)$/i.exec(authorization)?.[1] ?? ''
}

/** Return the caller that an API key names, or null for a malformed one. */
export async function readKey(key: string): Promise<Caller | null> {
  const ids = parseApiKey(key)
  return (
    ids && {
      userId: ids.keyId,
      accountId: ids.accountId,
      signInId: ids.keyId,
      key: { hash: await sha256Bytea(key) },
    }
  )
}

/**
 * Return by what the calls of a caller are counted: a person, or all keys of an account together, so that
 * more keys do not allow more calls.
 */
export function getCallerRateKey({ key, userId, accountId }: Caller): string {
  return key ? `keys:${accountId}` : userId
}

/** Count a call that nobody has signed yet. Throw 429 for an address that sends too many. */
export async function countUnauthenticated(c: C, { limiter }: Services): Promise<void> {
  const limit = await limiter.count(`unauthenticated:${toAddressBlock(c.get('ip'))}`, floodRate, true)
  if (!limit.allowed) throw createRateLimitProblem(floodRate, limit)
}

/** Remember whether a key was admitted. Record its last use after the response, at most once a minute. */
export function recordKeyUse(
  c: C,
  caller: Caller | null,
  scope: Scope | null,
  keys: KeyMemory,
  services: Services,
): void {
  if (!caller?.key || caller.key.isAddressChecked) return
  if (!scope?.isAdmitted) {
    keys.forget(caller.key.hash)
    return
  }
  if (!keys.admit(caller.key.hash)) return
  const userAgent = (c.req.header('user-agent') ?? '').slice(0, 300)
  const args = {
    p_account: caller.accountId,
    p_key: caller.userId,
    p_ip: c.get('ip'),
    p_user_agent: userAgent,
  }
  const statement = toCallStatement('app.record_key_use', args)
  // A lost update is made up by the next one.
  c.executionCtx.waitUntil(services.platform.run([statement], { readOnly: false }).catch(() => {}))
}
