import * as z from 'zod'
import { emailPattern, hasShortLocalPart, normaliseEmail } from '#rules/text/email-address.ts'
import { removeInvisible } from '#rules/text/plain-name.ts'
import { Uuid } from '#rules/uuid.ts'

// Shapes that every group shares.

export const Id = Uuid.describe('UUIDv7.')
export const Time = z.iso.datetime({ precision: 3 }).describe('RFC 3339, UTC, with milliseconds.')
export const Email = z
  .string()
  .overwrite(normaliseEmail)
  .email({ pattern: emailPattern })
  .max(320)
  .refine(hasShortLocalPart, 'must have at most 64 characters before the @')

/**
 * An e-mail address that must match a stored one, as it was typed. It is not checked, so that an answer says
 * nothing about its form.
 */
export const TypedEmail = z.string().max(320).overwrite(normaliseEmail)

/** A time in a request: RFC 3339 with any precision and any offset. */
export const InputTime = z.iso.datetime({ offset: true })

const hasNoQueryOrFragment = (url: string) =>
  !URL.canParse(url) || (new URL(url).search === '' && new URL(url).hash === '')

/** The base URL of the API of another service. */
export const ApiAddress = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine(hasNoQueryOrFragment, 'must have no query and no fragment')

/** A short name: 1 to 200 characters, without characters that hide or reverse text. */
export const Name = z.string().overwrite(removeInvisible).trim().min(1).max(200)

/** A longer text: 1 to 20,000 characters. */
export const Text = z.string().trim().min(1).max(20_000)

/** The version of a row that several people edit. */
export const Version = z.int().min(1).describe('Increases with every save.')

/** The version that a change is based on. */
export const ExpectedVersion = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .meta({ id: 'ExpectedVersion' })
  .describe('Save only if this is the current version; otherwise 409 `stale_version`.')

/** A boolean in a query string. */
export const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')

/** The page of the frontend that a user was on. */
export const PageUrl = z.string().max(2000)

export const Role = z
  .enum(['viewer', 'engineer', 'admin'])
  .meta({ id: 'Role', example: 'engineer' })
  .describe('The role of a user in the account.')
export const TeamRole = z
  .enum(['member', 'admin'])
  .meta({ id: 'TeamRole' })
  .describe('The role of a user in the team.')

/** Who wrote a message to the model, or of it. */
export const MessageRole = z.enum(['user', 'assistant']).meta({ id: 'MessageRole' })

/**
 * Return whether `zone` is an IANA name. Accept aliases that `Intl.supportedValuesOf` omits; reject bare
 * offsets such as `+02:00`.
 */
function isTimezone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined
  } catch {
    return false
  }
}

export const Timezone = z
  .string()
  .max(100)
  .refine(isTimezone, 'must be an IANA time zone')
  .describe('IANA time zone.')

export function idParams<K extends string>(name: K, what: string) {
  return z.object({ [name]: Uuid.describe(`Id of the ${what}.`) } as Record<K, z.ZodUUID>)
}

/**
 * A text of an answer that opens something by itself: a token, a password, a script with values. An operation
 * that answers one stores no answer for a repeated request, which a test checks.
 */
export const Secret = z.string().meta({ format: 'password' })

export const PhoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, 'must be a number in E.164, such as +4930123456')
  .meta({ example: '+4930123456' })
