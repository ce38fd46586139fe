import { randomInt } from 'node:crypto'
import { phoneCredentials } from '#local/vendors/phone/credentials.ts'
import type { PhoneProvider } from '#vendors/phone/phone.ts'
import type { Service } from './app.ts'
import { expectStatus } from './expect-status.ts'
import type { Person } from './people.ts'

const path = '/notifications/phone-gateway'

export const createNumber = () => `+49301${randomInt(1_000_000, 9_999_999)}`

/** Give a person a verified number. Return it. */
export async function giveNumber(
  service: Service,
  { accountId, id }: Person,
  number = createNumber(),
): Promise<string> {
  await service.sql(
    'insert into phone_numbers (account_id, user_id, number, verified_at) values ($1, $2, $3, app.now())',
    [accountId, id, number],
  )
  return number
}

/** Return the body that sets up a local gateway, for numbers that start with +49 or +1. */
export function gatewayBody(
  { localOrigin }: Pick<Service, 'localOrigin'>,
  provider: PhoneProvider = 'twilio',
) {
  const { accountSid, apiKeySid, secret, webhookSecret } = phoneCredentials
  const shared = { provider, allowed_prefixes: ['+49', '+1'], sender: '+15005550006' }
  return provider === 'twilio'
    ? {
        ...shared,
        base_url: `${localOrigin}/twilio`,
        account_sid: accountSid,
        api_key_sid: apiKeySid,
        secret,
      }
    : { ...shared, base_url: `${localOrigin}/phone`, secret: webhookSecret }
}

/** Set up a local gateway in an account. */
export async function setUpGateway(
  service: Pick<Service, 'localOrigin'>,
  admin: Pick<Person, 'call'>,
  changes: { provider?: PhoneProvider; daily_limit?: number; allowed_prefixes?: string[] } = {},
): Promise<void> {
  const body = { ...gatewayBody(service, changes.provider), ...changes }
  expectStatus(await admin.call('PUT', path, body), 200)
}
