import * as scripts from '#functions/scripts/scripts/service.ts'
import * as approvals from '#functions/sessions/approvals/service.ts'
import type { WriteContext } from '#http/operation.ts'
import { Problem } from '#problem.ts'
import type { ScriptApprovalRequest } from './schemas.ts'

/** Request an approval of a template's script, rendered with these values for a session. */
export async function request(
  ctx: WriteContext,
  templateId: string,
  { comment, ...input }: ScriptApprovalRequest,
) {
  const { approval } = await scripts.prepareRun(ctx, templateId, input)
  if (!approval) throw new Problem('wrong_state', 'A script of low risk needs no approval')
  return approvals.request(ctx, approval.session, approval.subject, comment)
}
