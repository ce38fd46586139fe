import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { parseOwnerUrl, parseSettings, settings } from '#config.ts'
import { withConnection } from '#db/migrate/connection.ts'
import { fingerprintKeys, type KeySet } from '#rules/settings/fingerprint.ts'
import { derivePublicKey } from '#vendors/auth/record-signer.ts'
import { createVault, type VaultKey } from '#vendors/auth/vault.ts'
import { describeCommandFailure } from './describe-failure.ts'
import { acceptKeys } from './known-keys.ts'
import { resealColumn, sealedColumns } from './sealed-columns.ts'

// Two steps per secret: a new key is known to every process before one uses it, and unused before one forgets
// it.
const steps = ['add', 'promote', 'remove'] as const
type Step = (typeof steps)[number]

/**
 * Return the keys of the next step. `add` appends a new key, which then verifies or opens; `promote` puts the
 * last key first, which then signs or seals; `remove` drops the last key. Throw if the step does not fit the
 * present keys.
 */
export function rotateKeys<Key>(keys: readonly Key[], step: Step, create: () => Key): Key[] {
  const [first, second, ...rest] = keys
  if (first === undefined || rest.length > 0)
    throw new Error('There must be one key, or two during a rotation.')
  if (step === 'add') {
    if (second) throw new Error('There are two keys already. Promote or remove one first.')
    return [first, create()]
  }
  if (!second) throw new Error('There is only one key. Add one first.')
  return step === 'promote' ? [second, first] : [first]
}

const JwtKey = z.strictObject({ kid: z.string(), secret: z.string() })
const CredentialsKey = z.strictObject({ version: z.int(), key: z.string() })
const RecordKey = z.union([
  z.strictObject({ kid: z.string(), key: z.string() }),
  z.strictObject({ kid: z.string(), x: z.string() }),
])

/** Return the value of JWT_KEYS for the next step. */
export function rotateJwtKeys(value: string, step: Step, now = new Date()): string {
  const keys = z.array(JwtKey).parse(JSON.parse(value))
  const kid = now.toISOString().slice(0, 19)
  return JSON.stringify(rotateKeys(keys, step, () => ({ kid, secret: randomBytes(48).toString('base64') })))
}

/** Return the value of CREDENTIALS_KEY for the next step. */
export function rotateCredentialsKeys(value: string, step: Step): string {
  const keys = z.array(CredentialsKey).parse(JSON.parse(value))
  const version = Math.max(...keys.map((key) => key.version)) + 1
  return JSON.stringify(rotateKeys(keys, step, () => ({ version, key: randomBytes(32).toString('base64') })))
}

/**
 * Return the value of RECORD_KEYS with a new key that signs. The earlier ones keep only their public half, with
 * which everybody can still verify what they signed.
 */
export async function rotateRecordKeys(value: string, now = new Date()): Promise<string> {
  const keys = z.array(RecordKey).parse(JSON.parse(value))
  const earlier = keys.map(async (key) =>
    'key' in key ? { kid: key.kid, x: await derivePublicKey(key.key) } : key,
  )
  const key = { kid: now.toISOString().slice(0, 19), key: randomBytes(32).toString('base64') }
  return JSON.stringify([key, ...(await Promise.all(earlier))])
}

/**
 * Encrypt every stored secret with the first key. Print the numbers. Return whether the other keys are no
 * longer needed.
 */
export async function reseal(
  ownerUrl: string,
  keys: readonly VaultKey[],
  print: (line: string) => void,
): Promise<boolean> {
  const [first] = keys
  if (!first) throw new Error('CREDENTIALS_KEY has no key.')
  const vault = createVault(keys)
  return withConnection({ connectionString: ownerUrl }, async (client) => {
    let isComplete = true
    for (const column of sealedColumns) {
      const { resealed, unreadable } = await resealColumn(client, column, vault, first.version)
      isComplete &&= unreadable === 0
      print(
        `${column.table}.${column.column}: ${resealed} encrypted again${unreadable > 0 ? `, ${unreadable} that no key opens` : ''}`,
      )
    }
    return isComplete
  })
}

/** Make the keys of a setting those of the database. */
async function accept(name: 'jwt' | 'credentials'): Promise<void> {
  const { JWT_KEYS, CREDENTIALS_KEY } = settings
  const keySets = await fingerprintKeys(parseSettings({ JWT_KEYS, CREDENTIALS_KEY }, process.env))
  const keys = keySets[name === 'jwt' ? 0 : 1] as KeySet
  await withConnection({ connectionString: parseOwnerUrl(process.env) }, (client) => acceptKeys(client, keys))
  console.log(`The database is used with the keys ${keys.ids.join(', ')} of ${keys.setting}.`)
}

const usage = `npm run secrets -- rotate jwt add|promote|remove           prints the next JWT_KEYS
npm run secrets -- rotate credentials add|promote|remove   prints the next CREDENTIALS_KEY
npm run secrets -- rotate records                          prints the next RECORD_KEYS
npm run secrets -- reseal                                  encrypts stored secrets with the first CREDENTIALS_KEY
npm run secrets -- accept jwt|credentials                  makes the keys of the setting those of the database, when the old one is lost or leaked`

/** Return the text of a setting. Throw with its name and the rule if the service would refuse it. */
function readKeys(name: 'JWT_KEYS' | 'CREDENTIALS_KEY' | 'RECORD_KEYS'): string {
  parseSettings({ [name]: settings[name] }, process.env)
  return process.env[name] ?? ''
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [command, name, step] = positionals
  const isStep = (text: string | undefined): text is Step => steps.includes(text as Step)
  if (command === 'rotate' && name === 'jwt' && isStep(step))
    return console.log(rotateJwtKeys(readKeys('JWT_KEYS'), step))
  if (command === 'rotate' && name === 'credentials' && isStep(step))
    return console.log(rotateCredentialsKeys(readKeys('CREDENTIALS_KEY'), step))
  if (command === 'rotate' && name === 'records')
    return console.log(await rotateRecordKeys(readKeys('RECORD_KEYS')))
  if (command === 'accept' && (name === 'jwt' || name === 'credentials')) return accept(name)
  if (command !== 'reseal') throw new Error(usage)
  const keys = z.array(CredentialsKey).parse(JSON.parse(readKeys('CREDENTIALS_KEY')))
  if (!(await reseal(parseOwnerUrl(process.env), keys, console.log)))
    throw new Error('Some secrets were not encrypted again. Keep the old key.')
}

if (import.meta.main)
  main().catch((error: unknown) => {
    // A ZodError and a SyntaxError could quote a key.
    const isSafe = error instanceof Error && !(error instanceof SyntaxError) && !(error instanceof z.ZodError)
    console.error(
      isSafe ? describeCommandFailure(error) : 'JWT_KEYS, CREDENTIALS_KEY or RECORD_KEYS is not valid.',
    )
    process.exitCode = 1
  })
