import { invalidField } from '#problem.ts'
import type { OutboundGuard } from '#vendors/net/guard.ts'

/**
 * Throw 422 for a field of the body with an address that the service must not call. Nothing is checked for a
 * field without one.
 */
export async function requireAllowedAddress(
  { guard }: { guard: OutboundGuard },
  field: string,
  address: string | null | undefined,
): Promise<void> {
  if (address === null || address === undefined) return
  const refusal = await guard.findRefusal(address, 'saving')
  if (refusal) throw invalidField(['body', field], refusal, field)
}
