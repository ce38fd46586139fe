import { inTransaction } from '#db/scope.ts'
import { getViolatedConstraint } from '#db/sqlstate.ts'
import * as signIns from '#functions/identity/sign-ins/service.ts'
import type { Context } from '#http/operation.ts'
import { limitReached, Problem, throwNotFound } from '#problem.ts'
import { randomToken, sha256Bytea } from '#vendors/auth/hash.ts'
import { parseAssertion, parseRegistration, readChallenge, readUserHandle } from '#vendors/auth/passkeys.ts'
import { createRecoveryCodes, hashRecoveryCode } from '#vendors/auth/recovery-codes.ts'
import { enqueueDelivery } from '#work/deliveries.ts'
import * as queries from './queries.ts'
import type { Credential } from './schemas.ts'

type UserContext = Context<'post', 'user', string>
type PublicContext = Context<'post', 'public', string>

const maxPasskeys = 20

export async function list({ platform, caller }: Pick<UserContext, 'platform' | 'caller'>) {
  return queries.selectPasskeys(platform, caller.userId)
}

export async function startRegistration({ platform, passkeys, caller }: UserContext) {
  const { email, full_name, credentialIds } = await queries.selectOwner(platform, caller.userId)
  if (credentialIds.length >= maxPasskeys)
    throw limitReached('passkeys', maxPasskeys, 'You have 20 passkeys; delete one first')
  const challenge = randomToken()
  await queries.insertChallenge(platform, await sha256Bytea(challenge), caller.userId)
  return {
    ...(await passkeys.createRegistrationOptions(
      { id: caller.userId, email, fullName: full_name },
      credentialIds,
      challenge,
    )),
  }
}

export async function finishRegistration(
  ctx: UserContext,
  { name, credential }: { name: string; credential: Credential },
) {
  const { platform, caller, ip } = ctx
  const registration = parseRegistration(credential)
  if (!registration) throw new Problem('passkey_invalid')
  const challenge = readChallenge(registration)
  const isOpen = (await queries.claimChallenge.run(platform, await sha256Bytea(challenge), caller.userId)) > 0
  const passkey = isOpen ? await ctx.passkeys.verifyRegistration(registration, challenge) : null
  if (!passkey) throw new Problem('passkey_invalid')
  const recoveryCodes = createRecoveryCodes()
  const { delivery_id, recovery_code_count, ...stored } = await queries.insertPasskey
    .one(platform, {
      userId: caller.userId,
      signInId: caller.signInId,
      ip,
      name,
      credentialId: passkey.credential_id,
      publicKey: passkey.public_key,
      counter: passkey.counter,
      transports: passkey.transports,
      recoveryCodeHashes: await Promise.all(recoveryCodes.map(hashRecoveryCode)),
    })
    .catch(throwRegistered)
  if (delivery_id) enqueueDelivery(platform, delivery_id)
  return { passkey: stored, recovery_codes: recovery_code_count > 0 ? recoveryCodes : [] }
}

function throwRegistered(error: unknown): never {
  throw getViolatedConstraint(error) === 'passkeys_credential_id_key' ? new Problem('passkey_invalid') : error
}

export async function rename({ platform, caller, ip }: UserContext, id: string, name: string) {
  const { delivery_id: _, ...passkey } =
    (await queries.renamePasskey.first(platform, caller.userId, id, name, ip)) ?? throwNotFound('Passkey')
  return passkey
}

export async function remove({ platform, caller, ip }: UserContext, id: string) {
  const { delivery_id } = await inTransaction(platform, async (tx) => {
    await signIns.lockUser(tx, caller.userId)
    const passkeys = await queries.selectPasskeys(tx, caller.userId)
    if (!passkeys.some((passkey) => passkey.id === id)) throwNotFound('Passkey')
    const deleted = await queries.deletePasskey.first(tx, caller.userId, id, ip)
    if (!deleted) throw new Problem('last_sign_in_method')
    return deleted
  })
  if (delivery_id) enqueueDelivery(platform, delivery_id)
}

/** Return options that name no user and no passkey, so that they reveal nothing. */
export async function startSignIn({ platform, passkeys }: PublicContext) {
  const challenge = randomToken()
  await queries.insertChallenge(platform, await sha256Bytea(challenge), null)
  return { ...(await passkeys.createSignInOptions(challenge)) }
}

export async function signIn(ctx: PublicContext, credential: Credential) {
  const userId = await verifyAssertion(ctx, credential)
  const tokens = userId ? await signIns.openWithPasskey(ctx, userId) : undefined
  if (!tokens) throw new Problem('passkey_invalid')
  return tokens
}

/** Verify an answer to the options of `startSignIn`. Return the id of the passkey's user, or null. */
export async function verifyAssertion(
  { platform, passkeys }: Pick<UserContext, 'platform' | 'passkeys'>,
  credential: Credential,
): Promise<string | null> {
  const assertion = parseAssertion(credential)
  if (!assertion) return null
  const challenge = readChallenge(assertion)
  if ((await queries.claimChallenge.run(platform, await sha256Bytea(challenge), null)) === 0) return null
  const passkey = await queries.selectPasskey(platform, assertion.id)
  const handle = readUserHandle(assertion)
  if (!passkey || (handle !== null && handle !== passkey.user_id)) return null
  const counter = await passkeys.verifySignIn(assertion, challenge, passkey)
  if (counter === null || !(await queries.updateCounter(platform, passkey.id, counter))) return null
  return passkey.user_id
}
