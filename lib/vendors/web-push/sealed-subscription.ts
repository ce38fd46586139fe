import * as z from 'zod'
import type { Vault } from '#vendors/auth/vault.ts'
import type { BrowserSubscription } from './web-push.ts'

const toContext = (accountId: string, id: string) => `web-push:${accountId}:${id}`
const Sealed = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() })

/** Encrypt the subscription of a browser for storage. It can be decrypted only for the same row. */
export function sealSubscription(
  vault: Vault,
  accountId: string,
  id: string,
  subscription: BrowserSubscription,
): Promise<string> {
  return vault.seal(JSON.stringify(subscription), toContext(accountId, id))
}

/** Decrypt a subscription. Use it for one message only, and never log it. */
export async function openSubscription(
  vault: Vault,
  accountId: string,
  id: string,
  sealed: string,
): Promise<BrowserSubscription> {
  return Sealed.parse(JSON.parse(await vault.open(sealed, toContext(accountId, id))))
}
