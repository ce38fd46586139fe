import { parseConfig } from '#config.ts'
import type { Service } from '#test/support/app.ts'
import type { Person } from '#test/support/people.ts'
import { createNumber, gatewayBody } from '#test/support/phone.ts'
import { hashPhoneCode } from '#vendors/auth/phone-codes.ts'
import { createVault } from '#vendors/auth/vault.ts'
import { sealPhoneSecret } from '#vendors/phone/sealed-secret.ts'
import type { Fixture } from './fixture-rows.ts'

/** Set up the local gateway in the owner's account, unless it has one. */
export async function insertGateway(
  service: Service,
  { accountId }: Pick<Person, 'accountId'>,
): Promise<void> {
  const { provider, base_url, secret, sender, allowed_prefixes, ...ids } = gatewayBody(service)
  const vault = createVault(parseConfig(service.settings).CREDENTIALS_KEY)
  await service.sql(
    `insert into phone_gateways (account_id, provider, base_url, account_sid, api_key_sid, secret, sender, allowed_prefixes)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (account_id) do nothing`,
    [
      accountId,
      provider,
      base_url,
      'account_sid' in ids ? ids.account_sid : null,
      'api_key_sid' in ids ? ids.api_key_sid : null,
      await sealPhoneSecret(vault, accountId, provider, secret),
      sender,
      allowed_prefixes,
    ],
  )
}

/** Give a person a verified number, and one that waits for the code 123456. */
export async function insertNumbers(service: Service, { accountId, id }: Person): Promise<string> {
  const number = createNumber()
  await service.sql(
    `insert into phone_numbers (account_id, user_id, number, verified_at, pending_number, code_hash, code_expires_at)
     values ($1, $2, $3, app.now(), $3, $4, app.now() + interval '10 minutes')
     on conflict (account_id, user_id) do update
       set number = excluded.number, verified_at = app.now(), pending_number = excluded.pending_number, code_hash = excluded.code_hash,
           code_attempts = 0, code_expires_at = excluded.code_expires_at`,
    [accountId, id, number, await hashPhoneCode(id, '123456')],
  )
  return number
}

const setUp: Fixture = async (service, owner) => {
  await insertGateway(service, owner)
  return {}
}
const haveNumber: Fixture = async (service, owner) => {
  await insertNumbers(service, owner)
  return {}
}

export const phoneFixtures = {
  'notifications.phoneGateway.get': setUp,
  'notifications.phoneGateway.put': async (service, owner) => ({
    ...(await setUp(service, owner)),
    body: gatewayBody(service),
  }),
  'notifications.phoneGateway.delete': setUp,
  'identity.phoneNumber.get': haveNumber,
  'identity.phoneNumber.create': async (service, owner) => ({
    ...(await setUp(service, owner)),
    body: { number: createNumber() },
  }),
  'identity.phoneNumber.confirm': async (service, owner) => ({
    ...(await haveNumber(service, owner)),
    body: { code: '123456' },
  }),
  'identity.phoneNumber.delete': haveNumber,
} satisfies Record<string, Fixture>
