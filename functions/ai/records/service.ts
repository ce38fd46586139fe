import * as aiSessions from '#functions/ai/sessions/service.ts'
import type { SignedRecord } from '#functions/sessions/records/schemas.ts'
import * as records from '#functions/sessions/records/service.ts'
import type { ReadContext } from '#http/operation.ts'

/** Return the signed record of a case that the caller may read. Throw 409 for one that is too large. */
export async function get(ctx: ReadContext, id: string): Promise<SignedRecord> {
  await aiSessions.find(ctx.db, id)
  return records.signCase(ctx, 'ai_session', id)
}
