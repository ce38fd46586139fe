import { retryOnConflict } from '#db/retry.ts'
import { requireAllowedAddress } from '#http/allowed-address.ts'
import type { ReadContext, WriteContext } from '#http/operation.ts'
import { invalidRequest, Problem } from '#problem.ts'
import { openPhoneSecret, sealPhoneSecret } from '#vendors/phone/sealed-secret.ts'
import * as queries from './queries.ts'
import type { PhoneGateway, PhoneGatewayPut } from './schemas.ts'

export async function get({ db }: Pick<ReadContext, 'db'>): Promise<PhoneGateway> {
  const row = await queries.selectGateway(db)
  if (!row) throw new Problem('no_phone_gateway')
  return toResponse(row)
}

export async function put(ctx: WriteContext, { secret, ...gateway }: PhoneGatewayPut): Promise<PhoneGateway> {
  await requireAllowedAddress(ctx, 'base_url', gateway.base_url)
  return retryOnConflict('phone gateway', async () => {
    const before = await queries.selectGateway(ctx.db)
    const opened = secret ?? (await readStoredSecret(ctx, before, gateway))
    if (opened === undefined)
      throw invalidRequest([
        { loc: ['body', 'secret'], msg: 'is required for this gateway', type: 'missing' },
      ])
    const sealed = await sealPhoneSecret(ctx.vault, ctx.caller.accountId, gateway.provider, opened)
    const isSaved = await queries.saveGateway.run(
      ctx.db,
      { ...gateway, secret: sealed },
      before?.secret ?? null,
    )
    return isSaved > 0 ? get(ctx) : undefined
  })
}

export async function remove({ db }: WriteContext): Promise<void> {
  if (!(await queries.deleteGateway(db))) throw new Problem('no_phone_gateway')
}

/** Return the stored secret, which is sent only to the origin that it was entered for. */
async function readStoredSecret(
  { vault }: WriteContext,
  before: queries.GatewayRow | undefined,
  { provider, base_url }: Pick<PhoneGatewayPut, 'provider' | 'base_url'>,
): Promise<string | undefined> {
  if (before?.provider !== provider || new URL(before.base_url).origin !== new URL(base_url).origin)
    return undefined
  return openPhoneSecret(vault, before.account_id, provider, before.secret)
}

function toResponse({ account_id: _, secret: __, ...row }: queries.GatewayRow): PhoneGateway {
  return row
}
