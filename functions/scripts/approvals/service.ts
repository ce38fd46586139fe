import * as scripts from '#functions/scripts/scripts/service.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import type { WriteContext } from '#http/operation.ts'
import type { ScriptApprovalRequest } from './schemas.ts'

/** Request an approval of a template's script, rendered with these values for a session. */
export async function request(
  ctx: WriteContext,
  templateId: string,
  { comment, ...input }: ScriptApprovalRequest,
) {
  const { approval } = await scripts.prepareRun(ctx, templateId, input)
  const { session, subject } = approvals.requireRisky(approval)
  return approvals.request(ctx, session, subject, comment)
}
